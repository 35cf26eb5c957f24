// Acts on this device that the server hasn't acknowledged: one entry of localStorage for each, so that two tabs never
// overwrite each other's. Keys sort by time. If storage is refused, the acts are kept in memory.
const PREFIX = "touchstone.judge.";

export function uuid() {
  if (crypto.randomUUID) return crypto.randomUUID(); // only there on https and localhost
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, "$1-$2-$3-$4-$5");
}

export class Store {
  durable = true; // false once something is in memory only
  #memory = new Map();
  #latest = 0;

  // Merely naming localStorage may throw, so it comes as a function.
  constructor(account, { storage = () => localStorage, now = () => Date.now() } = {}) {
    this.prefix = `${PREFIX}${account}.`;
    this.storage = storage;
    this.now = now;
  }

  // Every act of this account, oldest first, whichever list it belongs to.
  all() {
    return this.#keys()
      .map((key) => ({ ...this.#read(key), key }))
      .filter((entry) => entry.kind);
  }

  // Sorts after all other acts, even if the clock has jumped back.
  add(entry) {
    const newest = Number(this.#keys().at(-1)?.slice(this.prefix.length).split(".")[0] ?? 0);
    this.#latest = Math.max(this.now(), newest + 1, this.#latest + 1);
    const key = `${this.prefix}${String(this.#latest).padStart(15, "0")}.${uuid()}`;
    this.put({ ...entry, key });
    return key;
  }

  put({ key, ...entry }) {
    try {
      this.storage().setItem(key, JSON.stringify(entry));
      this.#memory.delete(key);
    } catch {
      this.#memory.set(key, JSON.stringify(entry));
      this.durable = false;
    }
  }

  has(key) {
    return this.#read(key) !== null;
  }

  drop(key) {
    this.#memory.delete(key);
    try {
      this.storage().removeItem(key);
    } catch {
      // it was in memory only
    }
  }

  #keys() {
    const keys = new Set(this.#memory.keys());
    try {
      const storage = this.storage();
      for (let nth = 0; nth < storage.length; nth += 1) keys.add(storage.key(nth));
    } catch {
      // no storage: what is in memory is all
    }
    return [...keys].filter((key) => key.startsWith(this.prefix)).sort();
  }

  #read(key) {
    try {
      return JSON.parse(this.#memory.get(key) ?? this.storage().getItem(key));
    } catch {
      return null;
    }
  }
}
