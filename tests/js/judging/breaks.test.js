import assert from "node:assert/strict";
import test from "node:test";

import { judgedAt } from "../../../static/js/judging/breaks.js";

const MINUTE = 60_000;

// The minutes at which a break is due, for judgments at these minutes.
function hints(minutes, after) {
  let stretch = {};
  return minutes.filter((minute) => {
    const judged = judgedAt(1e12 + minute * MINUTE, stretch, after * MINUTE);
    stretch = judged.stretch;
    return judged.due;
  });
}

test("after so many minutes without a pause a break is due, and again as many later", () => {
  const everyMinute = Array.from({ length: 61 }, (_, minute) => minute);

  assert.deepEqual(hints(everyMinute, 20), [20, 40, 60]);
});

test("more than five minutes without a judgment are a break", () => {
  assert.deepEqual(hints([0, 4, 9, 13.5, 18, 20], 20), [20]);
  assert.deepEqual(hints([0, 4, 9, 13.5, 18, 20], 15), [18]);
  assert.deepEqual(hints([0, 4, 9.1, 14, 19, 24], 20), []);
});

test("the hint says how long it was", () => {
  const { due } = judgedAt(1e12, { since: 1e12 - 21.4 * MINUTE, latest: 1e12 - MINUTE }, 20 * MINUTE);

  assert.equal(due, 21);
});
