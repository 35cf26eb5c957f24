// When a hint to take a break is due. A stretch of judging is {since, latest}: its beginning and the latest judgment.
const PAUSE_MS = 5 * 60_000; // so long without a judgment is a break

// The stretch after a judgment at `now`, and the minutes of the one before where a break is due.
export function judgedAt(now, { since, latest } = {}, breakMs) {
  const begun = !since || now - latest > PAUSE_MS ? now : since;
  const due = now - begun >= breakMs;
  return { stretch: { since: due ? now : begun, latest: now }, due: due ? Math.round((now - begun) / 60_000) : null };
}
