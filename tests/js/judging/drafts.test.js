import assert from "node:assert/strict";
import test from "node:test";

import { Drafts } from "../../../static/js/judging/drafts.js";
import { makeStorage, refused } from "./storage.js";

const DAY_MS = 24 * 3600_000;

test("a comment is kept for its account, list and pair until it is dropped", () => {
  const storage = makeStorage();
  const drafts = new Drafts({ account: 1, list: 2 }, { storage: () => storage });
  const other = new Drafts({ account: 1, list: 3 }, { storage: () => storage });

  drafts.keep(9, "torn");

  assert.equal(drafts.read(9), "torn");
  assert.equal(drafts.read(8), null);
  assert.equal(other.read(9), null);
  drafts.drop(9);
  assert.equal(drafts.read(9), null);
});

test("after a week a comment goes, whichever list it belongs to, and nothing else does", () => {
  const storage = makeStorage({ "touchstone.judge.1.x": "{}" });
  let now = 0;
  const options = { storage: () => storage, now: () => now };
  new Drafts({ account: 1, list: 2 }, options).keep(9, "old");
  now = 6 * DAY_MS;
  new Drafts({ account: 1, list: 3 }, options).keep(9, "young");

  now = 7 * DAY_MS + 1;
  new Drafts({ account: 5, list: 5 }, options).forgetOld();

  assert.deepEqual(
    Array.from({ length: storage.length }, (_, nth) => storage.key(nth)),
    ["touchstone.judge.1.x", "touchstone.draft.1.3.9"],
  );
});

test("without storage a comment is in its box only", () => {
  const drafts = new Drafts({ account: 1, list: 2 }, { storage: refused });

  drafts.keep(9, "torn");
  drafts.forgetOld();

  assert.equal(drafts.read(9), null);
});
