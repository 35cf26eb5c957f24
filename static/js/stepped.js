// The place after `at` of so many: the first or last one from outside (-1), and no further than the ends.
export function stepped(at, step, count) {
  if (at < 0) return step > 0 ? 0 : count - 1;
  return Math.min(count - 1, Math.max(0, at + step));
}
