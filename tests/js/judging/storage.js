// Storage as browsers have it, in memory; `full` and `refused` are what can be wrong with it.
export function makeStorage(before = {}) {
  const items = new Map(Object.entries(before));
  return {
    full: false,
    get length() {
      return items.size;
    },
    key: (nth) => [...items.keys()][nth] ?? null,
    getItem: (key) => items.get(key) ?? null,
    removeItem: (key) => items.delete(key),
    setItem(key, value) {
      if (this.full) throw new Error("QuotaExceededError");
      items.set(key, value);
    },
  };
}

export const refused = () => {
  throw new Error("SecurityError");
};
