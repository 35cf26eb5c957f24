import assert from "node:assert/strict";
import test from "node:test";

import { describeState } from "../../../static/js/judging/save-state.js";

const SAVED = { text: "Exact saved", at: "12:00:00" };
const describe = (state) => describeState({ detail: "", saved: null, count: 0, areJudgments: true, durable: true, ...state });

test("what waits is counted, and where it is kept is said", () => {
  assert.equal(describe({ kind: "offline", count: 1 }).line, "Offline – 1 judgment kept on this device, will be sent");
  assert.equal(
    describe({ kind: "error", count: 2, durable: false }).line,
    "Not saved – 2 judgments kept in this tab only, will be sent",
  );
  assert.equal(describe({ kind: "saving", detail: "slow", count: 1 }).line, "Still saving – 1 judgment kept on this device");
});

test("only answers are called judgments", () => {
  const { line, kept } = describe({ kind: "offline", count: 2, areJudgments: false });

  assert.deepEqual(
    [line, kept],
    ["Offline – 2 changes kept on this device, will be sent", "2 changes are kept on this device"],
  );
});

test("where nothing waits, nothing is said to be kept", () => {
  for (const kind of ["offline", "session", "account", "error", "gone"]) {
    const { line, kept } = describe({ kind, detail: { status: 511 } });
    assert.doesNotMatch(line, /kept|0/);
    assert.equal(kept, "");
  }
});

test("a server that answers with an error isn’t said not to answer", () => {
  assert.equal(describe({ kind: "error", detail: { status: 500 } }).line, "The server answered 500");
});

test("saved is what the server said", () => {
  const { line, level, isTrouble } = describe({ kind: "saved", saved: SAVED });

  assert.deepEqual([line, level, isTrouble], ["Exact saved 12:00:00", "saved", false]);
});

test("trouble is said aloud", () => {
  for (const kind of ["offline", "session", "account", "error", "gone"]) assert.ok(describe({ kind }).isTrouble);
  for (const kind of ["idle", "saving", "saved"]) assert.ok(!describe({ kind }).isTrouble);
});
