import assert from "node:assert/strict";
import test from "node:test";

import { Sender } from "../../../static/js/judging/sender.js";
import { Store } from "../../../static/js/judging/store.js";
import { makeStorage } from "./storage.js";

const OK = { status: 200, content: {} };
const FAILED = { status: 500, content: null };
const CARDS = "/cards";

// A sender whose server is `reply(url, fields)`; `heard` is what the screen was told, `posts` what the server got.
function makeSender(context, reply) {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const heard = [];
  const posts = [];
  const screen = {
    account: "7",
    list: "1",
    cards: CARDS,
    have: () => ({}),
    onReply: (_, entry) => entry && heard.push(["saved", entry.pair]),
    onState: ({ kind }) => heard.push([kind]),
    onConflict: (entry) => heard.push(["conflict", entry.pair]),
    onRefused: (entry) => heard.push(["refused", entry.pair]),
    onFailed: (entry) => heard.push(["failed", entry.pair, entry.failed.times]),
  };
  const send = async (url, fields) => {
    posts.push(fields.answers ? JSON.parse(fields.answers).map(({ pair }) => pair) : (fields.pair ?? url));
    return reply(url, fields);
  };
  const storage = makeStorage();
  const store = new Store("7", { storage: () => storage });
  return { sender: new Sender(screen, { store, send }), heard, posts };
}
const answer = (pair, more) => ({ kind: "answer", list: "1", url: "/answer", pair, fields: { pair }, ...more });
const waiting = (sender) => sender.waiting().map(({ pair }) => pair);
const together = (results) => ({ status: 200, content: { answers: results } });

test("an answer leaves the store when the server has acknowledged it, not before", async (context) => {
  let release;
  const { sender } = makeSender(context, () => new Promise((resolve) => (release = () => resolve(OK))));
  const key = sender.add(answer(1));

  const done = sender.drain();
  await new Promise(setImmediate);
  assert.deepEqual(waiting(sender), [1]);
  assert.equal(sender.recall(key), false, "it is on its way");
  release();
  await done;

  assert.deepEqual(waiting(sender), []);
});

test("answers that wait go in one request, and each has its own result", async (context) => {
  const conflict = { status: 409, kind: "conflict", problem: "judged" };
  const { sender, posts, heard } = makeSender(context, () =>
    together([{ status: 200 }, conflict, { status: 422, problem: "no grade" }]),
  );
  for (const pair of [1, 2, 3]) sender.add(answer(pair));

  await sender.drain();

  assert.deepEqual(posts, [[1, 2, 3]]);
  assert.deepEqual(heard, [["saving"], ["saved", 1], ["conflict", 2], ["refused", 3], ["idle"]]);
  assert.deepEqual(waiting(sender), []);
  assert.deepEqual(sender.store.all().map(({ stuck }) => stuck), ["conflict", "refused"]);
});

test("where the server fails at them together they go one by one, and one that fails holds up no other", async (context) => {
  const { sender, posts, heard } = makeSender(context, (_, { answers, pair }) => (answers || pair === 2 ? FAILED : OK));
  for (const pair of [1, 2, 3]) sender.add(answer(pair));

  await sender.drain();

  assert.deepEqual(posts, [[1, 2, 3], 1, 2, 3]);
  assert.deepEqual(heard, [["saving"], ["saved", 1], ["failed", 2, 1], ["saved", 3], ["error"]]);
  assert.deepEqual(waiting(sender), [2]);
});

test("what failed is counted over tries, and sent again after a while", async (context) => {
  let failing = true;
  const { sender, posts } = makeSender(context, () => (failing ? FAILED : OK));
  sender.add(answer(1));
  await sender.drain();
  assert.equal(sender.waiting()[0].failed.times, 1);

  context.mock.timers.tick(2_000);
  await new Promise(setImmediate);
  assert.equal(sender.waiting()[0].failed.times, 2);
  failing = false;
  context.mock.timers.tick(5_000);
  await new Promise(setImmediate);

  assert.deepEqual(waiting(sender), []);
  assert.deepEqual(posts, [1, 1, 1]);
});

test("three failures in a row are no accident: the rest waits", async (context) => {
  const { sender, posts } = makeSender(context, () => FAILED);
  for (const pair of [1, 2, 3, 4]) sender.add(answer(pair, { failed: { times: 1 } }));

  await sender.drain();

  assert.deepEqual(posts, [1, 2, 3]);
});

test("a server that cannot take anything just now is not asked again for each answer", async (context) => {
  const { sender, posts } = makeSender(context, () => ({ status: 503, content: null }));
  for (const pair of [1, 2]) sender.add(answer(pair, { failed: { times: 1 } }));

  await sender.drain();

  assert.deepEqual(posts, [1]);
});

for (const [kind, reply] of [
  ["offline", { status: 0, content: null }],
  ["session", { status: 401, content: null }],
  ["account", { status: 409, content: { kind: "account", problem: "other" } }],
]) {
  test(`everything waits while the state is “${kind}”, and nothing has failed`, async (context) => {
    const { sender, posts, heard } = makeSender(context, () => reply);
    for (const pair of [1, 2]) sender.add(answer(pair));

    await sender.drain();

    assert.equal(posts.length, 1);
    assert.deepEqual(heard, [["saving"], [kind]]);
    assert.deepEqual(sender.waiting().map(({ failed }) => failed), [undefined, undefined]);
  });
}

test("answers to a list that is closed hold up no other, and wait for it", async (context) => {
  const { sender } = makeSender(context, (url) => (url === "/closed" ? { status: 404, content: null } : OK));
  sender.add(answer(1, { list: "2", url: "/closed" }));
  sender.add(answer(2));

  await sender.drain();

  assert.deepEqual(sender.store.all().map(({ pair, stuck }) => [pair, stuck]), [[1, "gone"]]);
});

test("what is released goes with what was added", async (context) => {
  const sent = [];
  const { sender } = makeSender(context, (_, fields) => (sent.push(fields.known), OK));
  sender.add(answer(1, { stuck: "conflict" }));
  assert.deepEqual(waiting(sender), []);

  await sender.release(sender.store.all()[0], { known: "1" });

  assert.deepEqual(sent, ["1"]);
  assert.deepEqual(sender.store.all(), []);
});

test("a trouble stays said when what waited is taken back, until the server answers", async (context) => {
  for (const [status, kind] of [[0, "offline"], [401, "session"], [500, "error"]]) {
    let reply = { status, content: null };
    const { sender } = makeSender(context, () => reply);
    const key = sender.add(answer(1));
    await sender.drain();

    sender.recall(key);
    await sender.drain();
    assert.equal(sender.state.kind, kind);
    assert.ok(!sender.state.detail.entry, "it doesn’t wait any more");

    reply = OK;
    await sender.refresh();
    assert.equal(sender.state.kind, "idle");
    context.mock.timers.reset();
  }
});

test("cards are asked for when nothing waits, else what waits is sent", async (context) => {
  const { sender, posts } = makeSender(context, () => OK);
  await sender.refresh();
  sender.add(answer(1));
  await sender.refresh();

  assert.deepEqual(posts, [CARDS, 1]);
});

test("an answer given while cards come is sent right after them", async (context) => {
  const { sender, posts } = makeSender(context, () => OK);
  const cards = sender.refresh();
  sender.add(answer(1));
  await Promise.all([cards, sender.drain()]);
  await new Promise(setImmediate);

  assert.deepEqual(posts, [CARDS, 1]);
  assert.deepEqual(waiting(sender), []);
});

test("first judgments that the server has not counted are those of this list, outside of practice", (context) => {
  const { sender } = makeSender(context, () => OK);
  sender.add(answer(1));
  sender.add(answer(2, { fields: { pair: 2, known: "1" } }));
  sender.add(answer(3, { practice: true }));
  sender.add(answer(4, { list: "2" }));

  assert.deepEqual(sender.firstWaiting().map(({ pair }) => pair), [1]);
});
