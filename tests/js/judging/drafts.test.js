import assert from "node:assert/strict";
import test from "node:test";

import { Drafts } from "../../../static/js/judging/drafts.js";
import { makeStorage, refused } from "./storage.js";

const DAY_MS = 24 * 3600_000;

test("a comment is kept for its account, list and pair until it is dropped", () => {
  const storage = makeStorage();
  const drafts = new Drafts({ account: 1, list: 2 }, { storage: () => storage });
  const other = new Drafts({ account: 1, list: 3 }, { storage: () => storage });

  drafts.keep(9, "comment", "torn");

  assert.deepEqual(drafts.read(9), { comment: "torn" });
  assert.deepEqual(drafts.read(8), {});
  assert.deepEqual(other.read(9), {});
  drafts.drop(9);
  assert.deepEqual(drafts.read(9), {});
});

test("evidence and confidence are kept beside the comment, and come back to their fields", () => {
  const storage = makeStorage();
  const drafts = new Drafts({ account: 1, list: 2 }, { storage: () => storage });
  const evidence = '[{"field":"body","start":0,"quote":"red"}]';
  drafts.keep(9, "comment", "torn");
  drafts.keep(9, "evidence", evidence);
  drafts.keep(9, "confidence", "2");
  drafts.drop(9, "comment");
  const fold = { open: false };
  const elements = {
    pair: { value: "9" },
    comment: { value: "as saved" },
    evidence: { value: "[]", closest: () => fold },
    confidence: { value: "" },
  };

  drafts.restore({ querySelectorAll: () => [{ elements }] });

  assert.deepEqual(
    [elements.comment.value, elements.evidence.value, elements.confidence.value, fold.open],
    ["as saved", evidence, "2", true],
  );
  drafts.drop(9, "evidence");
  drafts.drop(9, "confidence");
  assert.equal(storage.length, 0);
});

test("after a week a comment goes, whichever list it belongs to, and nothing else does", () => {
  const storage = makeStorage({ "touchstone.judge.1.x": "{}" });
  let now = 0;
  const options = { storage: () => storage, now: () => now };
  new Drafts({ account: 1, list: 2 }, options).keep(9, "comment", "old");
  now = 6 * DAY_MS;
  new Drafts({ account: 1, list: 3 }, options).keep(9, "comment", "young");

  now = 7 * DAY_MS + 1;
  new Drafts({ account: 5, list: 5 }, options).forgetOld();

  assert.deepEqual(
    Array.from({ length: storage.length }, (_, nth) => storage.key(nth)),
    ["touchstone.judge.1.x", "touchstone.draft.1.3.9"],
  );
});

test("without storage a comment is in its box only", () => {
  const drafts = new Drafts({ account: 1, list: 2 }, { storage: refused });

  drafts.keep(9, "comment", "torn");
  drafts.forgetOld();

  assert.deepEqual(drafts.read(9), {});
});
