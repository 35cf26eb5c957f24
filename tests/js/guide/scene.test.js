import assert from "node:assert/strict";
import test from "node:test";

import { placeAmong, sceneOf } from "../../../static/js/guide/scene.js";

const BOXES = [
  { top: 0, bottom: 40 },
  { top: 40, bottom: 80 },
];

test("what is dragged goes before the first one whose middle is below the pointer", () => {
  assert.deepEqual([-5, 19, 21, 59, 61, 500].map((y) => placeAmong(BOXES, y)), [0, 0, 1, 1, 2, 2]);
  assert.equal(placeAmong([], 10), 0);
});

test("a moved document keeps the cutoff, a moved line sets it", () => {
  const items = ["movie", "photo", "dog", null];

  assert.deepEqual(sceneOf(items, 2, false), { retrieved: ["movie", "photo", "dog"], cutoff: 2 });
  assert.deepEqual(sceneOf(items, 2, true), { retrieved: ["movie", "photo", "dog"], cutoff: 3 });
});

test("the cutoff is at least 1, and stays where there is no line", () => {
  assert.equal(sceneOf([null, "movie"], 2, true).cutoff, 1);
  assert.deepEqual(sceneOf([], 4, true), { retrieved: [], cutoff: 4 });
});
