import assert from "node:assert/strict";
import test from "node:test";

import { Deck } from "../../../static/js/judging/deck.js";

function makeCard(pair, more = {}) {
  return {
    dataset: { ...(pair !== null && { pair: String(pair) }), ...more },
    querySelector: () => null,
    querySelectorAll: () => [],
    replaceWith() {},
  };
}
// Cards travel as their pair's number here.
const makeDeck = (current) => new Deck(current, { parse: (html) => makeCard(Number(html)) });
const content = (held, cards = held, nothing) => ({
  held: held.map((pair, nth) => [pair, nth + 1, held.length]),
  cards: cards.map((pair) => ({ pair, html: String(pair) })),
  nothing,
});
const waiting = (deck) => deck.next.map((card) => Number(card.dataset.pair));

test("cards wait in the server's order, without the one on the screen and those that were answered", () => {
  const deck = makeDeck(makeCard(1));

  deck.take(content([1, 2, 3, 4], [2, 3, 4]), [3]);

  assert.deepEqual(waiting(deck), [2, 4]);
  assert.deepEqual(deck.have().sort(), [1, 2, 4]);
  assert.deepEqual([deck.current.dataset.nth, deck.current.dataset.documents], [1, 4]);
});

test("a reply names what is held; cards that are here need not come again", () => {
  const deck = makeDeck(makeCard(1));
  deck.take(content([1, 2, 3], [2, 3]), []);
  const [second] = deck.next;

  deck.take(content([1, 3, 2], []), []);

  assert.deepEqual(waiting(deck), [3, 2]);
  assert.equal(deck.next[1], second);
});

test("what is not held any more goes, unless it comes back by what was taken back", () => {
  const deck = makeDeck(makeCard(1));
  deck.take(content([1, 2, 3], [2, 3]), []);

  deck.take(content([1], []), [], [3]);

  assert.deepEqual(waiting(deck), [3]);
});

test("what the server says of there being nothing is kept until it says otherwise", () => {
  const deck = makeDeck(makeCard(1));
  deck.take(content([], [], "<p>done</p>"), []);
  assert.equal(deck.nothing, "<p>done</p>");

  deck.take(content([2]), []);

  assert.equal(deck.nothing, null);
});

test("a card that was not answered waits in front of the others while another one is shown", () => {
  const deck = makeDeck(makeCard(1));
  deck.take(content([1, 2, 3], [2, 3]), []);

  deck.show(makeCard(9, { known: "2" }));
  assert.deepEqual(waiting(deck), [1, 2, 3]);
  assert.ok(deck.isJudged());

  deck.show(deck.next[0]);
  assert.deepEqual(waiting(deck), [2, 3]);
});

test("a card that was answered does not wait again", () => {
  const deck = makeDeck(makeCard(1, { answered: "1" }));
  deck.take(content([2]), [1]);

  deck.show(deck.next[0]);

  assert.deepEqual(waiting(deck), []);
});

test("first answers are linked in the order of judging, and unlinked when they are taken back", () => {
  const [first, second] = [makeCard(1, { earlier: "7" }), makeCard(2)];
  const deck = makeDeck(first);
  deck.append(first);
  deck.append(second);

  assert.equal(deck.last, 2);
  assert.deepEqual([Number(first.dataset.earlier), first.dataset.later, second.dataset.earlier], [7, 2, 1]);
  deck.withdraw(second);
  assert.equal(deck.last, 1);
  assert.equal(first.dataset.later, undefined);
  assert.equal(deck.find(2), undefined);
});

test("forty judged cards stay for walking back, the newest", () => {
  const deck = makeDeck(null);
  for (let pair = 1; pair <= 45; pair += 1) deck.append(makeCard(pair));

  assert.equal(deck.find(5), undefined);
  assert.equal(deck.find(6).dataset.pair, "6");
  assert.equal(deck.judged.size, 40);
});

test("a panel that says why there is no card is no card", () => {
  const deck = makeDeck(makeCard(null));

  assert.equal(deck.pair(), null);
  assert.deepEqual(deck.have(), []);
});

const numbers = (deck) => deck.next.map((card) => card.dataset.nth);

test("behind a document that was put off, those of its query move up, as the server will number them", () => {
  const current = makeCard(1, { nth: "1", query: "7" });
  const deck = makeDeck(current);
  deck.next = [makeCard(2, { nth: "2", query: "7" }), makeCard(3, { nth: "3", query: "7" }), makeCard(4, { nth: "2", query: "8" })];

  deck.putOff(current);
  assert.deepEqual(numbers(deck), [1, 2, "2"]);

  deck.show(deck.next[0]);
  deck.bringBack(current);
  deck.show(current);
  assert.deepEqual(numbers(deck), [2, 3, "2"]);
});

test("a repeat that was put off moves nothing up: it isn't counted", () => {
  const current = makeCard(1, { nth: "1", query: "7" });
  const deck = makeDeck(current);
  deck.next = [makeCard(2, { nth: "1", query: "7" }), makeCard(3, { nth: "2", query: "7" })];

  deck.putOff(current);
  deck.bringBack(current);

  assert.deepEqual(numbers(deck), ["1", "2"]);
});
