import assert from "node:assert/strict";
import test from "node:test";

import { nearest, stepped } from "../../../static/js/judging/steps.js";

const TENTHS = { low: 0, high: 1, step: "0.1" };

test("a slider stops at whole steps, without the dust of binary fractions", () => {
  assert.equal(nearest(0.32, TENTHS), 0.3);
  assert.equal(nearest(0.7000001, TENTHS), 0.7);
  assert.equal(nearest(1.2, TENTHS), 1);
  assert.equal(nearest(-3, { low: -2.5, high: 4, step: "0.25" }), -2.5);
});

test("steps count from the box, whatever is in it", () => {
  assert.equal(stepped("0.2", 1, TENTHS), 0.3);
  assert.equal(stepped("0.25", 1, TENTHS), 0.35);
  assert.equal(stepped("0.95", 10, TENTHS), 1);
  assert.equal(stepped("0.1", -10, TENTHS), 0);
});

test("from an empty box the first step leads to the end of the scale", () => {
  assert.equal(stepped("", 1, TENTHS), 0);
  assert.equal(stepped("", -1, TENTHS), 1);
  assert.equal(stepped("", 10, TENTHS), 0.9);
});
