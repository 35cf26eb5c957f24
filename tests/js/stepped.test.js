import assert from "node:assert/strict";
import test from "node:test";

import { stepped } from "../../static/js/stepped.js";

test("a step leads to the neighbor", () => {
  assert.equal(stepped(1, 1, 5), 2);
  assert.equal(stepped(1, -1, 5), 0);
});

test("steps stop at the ends", () => {
  assert.equal(stepped(4, 1, 5), 4);
  assert.equal(stepped(0, -1, 5), 0);
});

test("from outside, the first step leads to an end", () => {
  assert.equal(stepped(-1, 1, 5), 0);
  assert.equal(stepped(-1, -1, 5), 4);
});
