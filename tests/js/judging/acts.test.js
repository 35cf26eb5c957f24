import assert from "node:assert/strict";
import test from "node:test";

import { Acts } from "../../../static/js/judging/acts.js";

const act = (key, more) => ({ key, entry: { kind: "answer", ...more }, prior: null });

test("acts are taken back newest first, and done again in their order", () => {
  const acts = new Acts();
  for (const key of ["a", "b"]) acts.record(act(key));

  assert.deepEqual([acts.takeBack().key, acts.takeBack().key], ["b", "a"]);
  assert.deepEqual([acts.redo().key, acts.redo().key, acts.redo()], ["a", "b", undefined]);
});

test("after a new act nothing is left to do again", () => {
  const acts = new Acts();
  acts.record(act("a"));
  acts.takeBack();
  assert.equal(acts.canRedo, true);

  acts.forgetTakenBack();

  assert.equal(acts.canRedo, false);
  assert.equal(acts.redo(), undefined);
});

test("what the server takes back by itself cannot be done again, nor what was taken back before", () => {
  const acts = new Acts();
  acts.record(act("a"));
  acts.takeBack();

  assert.equal(acts.takeBack(), undefined);

  assert.equal(acts.canRedo, false);
});

test("answers in practice stay", () => {
  const acts = new Acts();
  acts.record(act("a"));
  acts.record(act("b", { practice: true }));

  assert.equal(acts.takeBack().key, "a");
});

test("another choice takes the place of an act", () => {
  const acts = new Acts();
  for (const key of ["a", "b"]) acts.record(act(key));
  assert.ok(acts.isNewest("b"));

  assert.equal(acts.remove("a").key, "a");
  assert.equal(acts.remove("a"), undefined);
  assert.equal(acts.takeBack().key, "b");
  assert.equal(acts.takeBack(), undefined);
});
