import assert from "node:assert/strict";
import test from "node:test";

import { Tally } from "../../../static/js/judging/tally.js";

const card = (query) => ({ dataset: { query, queryNumber: `number ${query}` } });

test("a query is summed up when the next one begins", () => {
  const tally = new Tally(card("1"));
  tally.judged += 2;
  tally.putOff += 1;

  assert.equal(tally.moveTo(card("1")), null);
  assert.deepEqual(tally.moveTo(card("2")), { query: "1", number: "number 1", judged: 2, putOff: 1 });
  assert.equal(tally.moveTo(card("3")), null);
});

test("what is taken back does not count, even where it was done on an earlier visit", () => {
  const tally = new Tally(card("1"));
  tally.judged += 1;
  tally.takeBack("judged");
  tally.takeBack("judged");
  tally.judged += 2;

  assert.equal(tally.moveTo(card("2")).judged, 2);
});

test("without a card nothing is summed up", () => {
  assert.equal(new Tally(null).moveTo(card("1")), null);
});

test("a single act sums up nothing: it may be the answer to a hidden repeat", () => {
  const tally = new Tally(card("1"));
  tally.judged += 1;

  assert.equal(tally.moveTo(card("2")), null);
});
