import assert from "node:assert/strict";
import test from "node:test";

import { Clock } from "../../../static/js/judging/clock.js";

function makeClock() {
  const world = { now: 1000, visible: true };
  const clock = new Clock({ now: () => world.now, visible: () => world.visible, byTouch: () => false });
  clock.restart();
  const pass = (ms) => (world.now += ms);
  const turn = (visible) => {
    world.visible = visible;
    clock.settle();
  };
  return { clock, pass, turn };
}
const times = ({ active_ms, wall_ms }) => [active_ms, wall_ms];

test("time counts as active up to a minute after the last input", () => {
  const { clock, pass } = makeClock();

  pass(50_000);
  clock.noteInput();
  pass(90_000);

  assert.deepEqual(times(clock.read()), [110_000, 140_000]);
});

test("input after a long rest counts from then on, not the rest", () => {
  const { clock, pass } = makeClock();
  pass(600_000);
  clock.noteInput();
  pass(1_000);

  assert.deepEqual(times(clock.read()), [61_000, 601_000]);
});

test("a hidden tab is not active", () => {
  const { clock, pass, turn } = makeClock();
  pass(10_000);
  turn(false);
  pass(20_000);
  turn(true);
  clock.noteInput();
  pass(5_000);

  assert.deepEqual(times(clock.read()), [15_000, 35_000]);
});

test("each card begins anew, and by a click", () => {
  const { clock, pass } = makeClock();
  pass(10_000);
  clock.method = "key";
  clock.restart();
  pass(2_000);

  assert.deepEqual(clock.read(), { active_ms: 2_000, wall_ms: 2_000, method: "click", device: "desktop" });
});

test("reading twice counts nothing twice", () => {
  const { clock, pass } = makeClock();
  pass(3_000);
  clock.read();

  assert.deepEqual(times(clock.read()), [3_000, 3_000]);
});
