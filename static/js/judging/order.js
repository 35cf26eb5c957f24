// Which of the acts that wait are sent next, and which of them together.
const MOST_AT_ONCE = 25; // answers in one request
export const MOST_SIZE = 50_000; // so much goes on when the tab is closed

export const entrySize = (fields) => Object.values(fields).join("").length;

// The acts to send, in their order, without those that failed and those that these hold up: of the same list, answers to
// the same document and all taking back. `failed` has the keys of the former.
export function sendable(acts, failed) {
  const dependsOn = (entry, before) =>
    before.list === entry.list && (before.kind === "undo" || entry.kind === "undo" || before.pair === entry.pair);
  const isHeld = (entry, nth) =>
    failed.has(entry.key) || acts.slice(0, nth).some((before) => failed.has(before.key) && dependsOn(entry, before));
  return acts.filter((entry, nth) => !isHeld(entry, nth));
}

// The answers at the head that go in one request. One at which the server failed before goes alone.
export function headRun(acts, list) {
  let size = 0;
  const end = acts.findIndex((entry, nth) => {
    size += entrySize(entry.fields);
    const alone = entry.kind !== "answer" || entry.list !== list || entry.failed;
    return alone || nth === MOST_AT_ONCE || size >= MOST_SIZE;
  });
  return end < 0 ? acts : acts.slice(0, Math.max(end, 1));
}
