import assert from "node:assert/strict";
import test from "node:test";

import { describe, OPTIONS } from "../../../static/js/comparisons/chart-options.js";

const COLOR = { won: "green", lost: "red", tied: "gray" };
const DATA = {
  baseline: "old",
  candidate: "new",
  ranks: true,
  points: [
    [1, "shoes", 0.5, 0.25, -0.25],
    [2, "hats", 0.5, 0.5, 0],
    [3, "bags", 0.5, 0.75, 0.25],
  ],
};

test("a point is described by both values and their difference", () => {
  assert.equal(describe(DATA, 0), "shoes: 0.5000 with old, 0.2500 with new, −0.2500 (lost)");
  assert.equal(describe({ ...DATA, ranks: false }, 2), "bags: 0.5000 with old, 0.7500 with new, +0.2500 (higher)");
});

test("colors and shapes say who won", () => {
  const [{ data: bars }] = OPTIONS.bars(DATA, COLOR, "serif").series;
  const [{ data: points }] = OPTIONS.scatter(DATA, COLOR, "serif").series;

  assert.deepEqual(bars.map(({ itemStyle }) => itemStyle.color), ["red", "gray", "green"]);
  assert.deepEqual(points.map(({ symbol }) => symbol), ["diamond", "circle", "triangle"]);
  assert.deepEqual(points.map(({ value }) => value), [[0.5, 0.25], [0.5, 0.5], [0.5, 0.75]]);
});

test("the scatter holds values above 1, too", () => {
  const { xAxis } = OPTIONS.scatter({ ...DATA, points: [[1, "shoes", 3, 2, -1]] }, COLOR, "serif");

  assert.equal(xAxis.max, 3);
});
