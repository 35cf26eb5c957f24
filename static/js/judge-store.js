// What was done on this device and not yet acknowledged by the server: one entry of localStorage for each act, so that two
// tabs never overwrite each other's. Keys sort in the order of doing. Where storage is refused, memory serves.
(function () {
  "use strict";

  const PREFIX = "touchstone.judge.";
  const memory = new Map();
  let latest = 0;

  function uuid() {
    if (crypto.randomUUID) return crypto.randomUUID(); // only there on https and localhost
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
    return hex.replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, "$1-$2-$3-$4-$5");
  }

  function read(key) {
    try {
      return JSON.parse(memory.get(key) ?? localStorage.getItem(key));
    } catch {
      return null;
    }
  }

  // Every act of this account, oldest first, whichever list it belongs to.
  function open(account) {
    const prefix = `${PREFIX}${account}.`;
    const keys = () => {
      const found = new Set([...memory.keys()].filter((key) => key.startsWith(prefix)));
      try {
        for (let nth = 0; nth < localStorage.length; nth += 1) {
          const key = localStorage.key(nth);
          if (key.startsWith(prefix)) found.add(key);
        }
      } catch {
        // no storage: what is in memory is all
      }
      return [...found].sort();
    };
    return {
      durable: true,
      prefix,
      all: () => keys().map((key) => ({ ...read(key), key })).filter((entry) => entry.kind),
      // After all that is there, whatever the clock says: it may have jumped back.
      add(entry) {
        const newest = Number(keys().at(-1)?.slice(prefix.length).split(".")[0] ?? 0);
        latest = Math.max(Date.now(), newest + 1, latest + 1);
        const key = `${prefix}${String(latest).padStart(15, "0")}.${uuid()}`;
        this.put({ ...entry, key });
        return key;
      },
      put({ key, ...entry }) {
        try {
          localStorage.setItem(key, JSON.stringify(entry));
          memory.delete(key);
        } catch {
          memory.set(key, JSON.stringify(entry));
          this.durable = false;
        }
      },
      has: (key) => read(key) !== null,
      drop(key) {
        memory.delete(key);
        try {
          localStorage.removeItem(key);
        } catch {
          // it was in memory only
        }
      },
    };
  }

  const judge = ((window.touchstone ??= {}).judge ??= {});
  judge.uuid = uuid;
  judge.openStore = open;
})();
