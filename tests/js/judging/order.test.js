import assert from "node:assert/strict";
import test from "node:test";

import { entrySize, headRun, sendable } from "../../../static/js/judging/order.js";

const answer = (key, pair, more) => ({ key, kind: "answer", list: "1", pair, fields: { pair }, ...more });
const undo = (key, more) => ({ key, kind: "undo", list: "1", fields: {}, ...more });
const keys = (acts) => acts.map(({ key }) => key).join("");
const sent = (acts, ...failed) => keys(sendable(acts, new Map(failed.map((key) => [key, {}]))));

test("all that waits is sent in its order", () => {
  assert.equal(sent([answer("a", 1), answer("b", 2), undo("c")]), "abc");
});

test("an answer that failed holds up those to the same document only", () => {
  assert.equal(sent([answer("a", 1), answer("b", 2), answer("c", 1)], "a"), "b");
});

test("an answer that failed holds up taking back, and taking back that failed all after it", () => {
  assert.equal(sent([answer("a", 1), undo("b"), answer("c", 2)], "a"), "c");
  assert.equal(sent([undo("a"), answer("b", 1), undo("c")], "a"), "");
});

test("lists do not hold each other up", () => {
  assert.equal(sent([undo("a"), answer("b", 1, { list: "2" })], "a"), "b");
});

test("what came before a failure is not held up by it", () => {
  assert.equal(sent([answer("a", 1), answer("b", 1)], "b"), "a");
});

test("answers of this list at the head go together, 25 at most", () => {
  const many = Array.from({ length: 30 }, (_, nth) => answer(String(nth), nth));

  assert.equal(headRun(many, "1").length, 25);
  assert.equal(keys(headRun([answer("a", 1), answer("b", 2), undo("c"), answer("d", 3)], "1")), "ab");
  assert.equal(keys(headRun([answer("a", 1), answer("b", 2, { list: "2" })], "1")), "a");
});

test("what is first goes in any case: taking back, another list's, one that failed, a long one", () => {
  for (const first of [
    undo("a"),
    answer("a", 1, { list: "2" }),
    answer("a", 1, { failed: { times: 1 } }),
    answer("a", 1, { fields: { comment: "x".repeat(60_000) } }),
  ]) {
    assert.equal(keys(headRun([first, answer("b", 2)], "1")), "a");
  }
});

test("answers go together as long as the tab may be closed meanwhile", () => {
  const long = (key, pair) => answer(key, pair, { fields: { comment: "x".repeat(20_000) } });

  assert.equal(entrySize(long("a", 1).fields), 20_000);
  assert.equal(keys(headRun([long("a", 1), long("b", 2), long("c", 3)], "1")), "ab");
});
