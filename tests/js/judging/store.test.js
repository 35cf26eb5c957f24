import assert from "node:assert/strict";
import test from "node:test";

import { Store, uuid } from "../../../static/js/judging/store.js";
import { makeStorage, refused } from "./storage.js";

const names = (store) => store.all().map(({ name }) => name);
const entry = (name) => ({ kind: "answer", name });

test("acts come back in the order of doing", () => {
  const storage = makeStorage();
  const store = new Store(7, { storage: () => storage, now: () => 0 });

  for (const name of ["a", "b", "c"]) store.add(entry(name));

  assert.deepEqual(names(store), ["a", "b", "c"]);
});

test("a clock that jumps back changes no order, in this tab or a later one", () => {
  const storage = makeStorage();
  let now = 5000;
  const options = { storage: () => storage, now: () => now };
  const store = new Store(7, options);
  store.add(entry("a"));
  now = 1000;
  store.add(entry("b"));

  new Store(7, options).add(entry("c"));

  assert.deepEqual(names(store), ["a", "b", "c"]);
});

test("an account sees its own acts only, whichever list they belong to", () => {
  const storage = makeStorage();
  const mine = new Store(7, { storage: () => storage });
  const other = new Store(70, { storage: () => storage });
  mine.add({ ...entry("a"), list: "1" });
  mine.add({ ...entry("b"), list: "2" });
  other.add(entry("c"));

  assert.deepEqual(names(mine), ["a", "b"]);
  assert.deepEqual(names(other), ["c"]);
});

const FAULTS = { refused, full: () => Object.assign(makeStorage(), { full: true }) };
for (const [fault, storage] of Object.entries(FAULTS)) {
  test(`where storage is ${fault}, memory serves, and the store says so`, () => {
    const store = new Store(7, { storage });
    const key = store.add(entry("a"));

    assert.equal(store.durable, false);
    assert.ok(store.has(key));
    assert.deepEqual(names(store), ["a"]);
    store.drop(key);
    assert.deepEqual(names(store), []);
  });
}

test("a change keeps the place of an act", () => {
  const storage = makeStorage();
  const store = new Store(7, { storage: () => storage });
  const key = store.add(entry("a"));
  store.add(entry("b"));

  store.put({ ...entry("changed"), key });

  assert.deepEqual(names(store), ["changed", "b"]);
});

test("what is no entry is passed over", () => {
  const storage = makeStorage({ "touchstone.judge.7.broken": "{", "touchstone.judge.7.empty": "{}" });

  assert.deepEqual(new Store(7, { storage: () => storage }).all(), []);
});

test("a request id is a UUID, without crypto.randomUUID too", (context) => {
  const { randomUUID } = crypto;
  context.after(() => (crypto.randomUUID = randomUUID));
  crypto.randomUUID = undefined; // as on plain HTTP

  assert.match(uuid(), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.notEqual(uuid(), uuid());
});
