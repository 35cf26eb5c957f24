// Storage may be refused or full: what was entered is then in its field only.
export function attempt(work) {
  try {
    return work();
  } catch {
    return null;
  }
}
