// The cards: the one on the screen, those that were fetched ahead, and those that were judged, for walking back.
import { number, pairOf, parseCard } from "./card.js";
import { restoreFolds } from "./folds.js";

const KEPT = 40; // judged cards that stay in memory

export class Deck {
  next = []; // cards that wait, in the server's order
  judged = new Map(); // pair → card, the newest last
  last = null; // the pair judged last
  nothing = null; // what to show when no card is left

  // `parse` makes a card of what the server sent.
  constructor(current, { parse = parseCard } = {}) {
    this.current = current;
    this.parse = parse;
    this.last = number(current?.dataset.earlier);
  }

  pair() {
    return pairOf(this.current);
  }
  isJudged() {
    return this.current?.dataset.known !== undefined;
  }
  isAnswered() {
    return Boolean(this.current?.dataset.answered);
  }
  have() {
    return [...this.next.map(pairOf), this.pair()].filter((pair) => pair !== null);
  }
  find(pair) {
    return this.judged.get(pair) ?? this.next.find((card) => pairOf(card) === pair);
  }

  // Takes in what the server sent; `acted` are the pairs with an act that it has not seen yet, `back` those that will be
  // held again once it has seen what was taken back.
  take(content, acted, back = []) {
    const cards = new Map(this.next.map((card) => [pairOf(card), card]));
    for (const { pair, html } of content.cards) cards.set(pair, this.parse(html));
    const out = new Set([...acted, this.isJudged() ? null : this.pair()]);
    const held = new Set(content.held.map(([pair]) => pair));
    this.next = this.next.filter((card) => back.includes(pairOf(card)) && !held.has(pairOf(card)) && !out.has(pairOf(card)));
    for (const [pair, nth, documents] of content.held) {
      const card = pair === this.pair() ? this.current : cards.get(pair);
      if (card) Object.assign(card.dataset, { nth, documents });
      if (cards.has(pair) && !out.has(pair)) this.next.push(card);
    }
    this.nothing = content.nothing ?? null;
  }

  // Judged elsewhere: nobody has to judge it here.
  remove(pair) {
    this.next = this.next.filter((card) => pairOf(card) !== pair);
  }

  keep(card) {
    const pair = pairOf(card);
    this.judged.delete(pair);
    this.judged.set(pair, card);
    if (this.judged.size > KEPT) this.judged.delete(this.judged.keys().next().value);
  }

  // Documents are numbered by how many of their query are judged. So behind one that was put off the others move up. A card
  // with the number of the one behind it is a repeat, which isn't counted.
  putOff(card) {
    const others = this.#ofQuery(card);
    if (!others.every((one) => Number(one.dataset.nth) > Number(card.dataset.nth))) return;
    card.dataset.movedUp = "1";
    for (const one of others) one.dataset.nth = Number(one.dataset.nth) - 1;
  }
  bringBack(card) {
    if (!card.dataset.movedUp) return;
    delete card.dataset.movedUp;
    for (const one of this.#ofQuery(card)) one.dataset.nth = Number(one.dataset.nth) + 1;
  }
  #ofQuery(card) {
    return [this.current, ...this.next].filter((one) => one !== card && one?.dataset.query === card.dataset.query);
  }

  // A first answer stands at the end of the rater's own judgments.
  append(card) {
    const pair = pairOf(card);
    if (this.last !== null && this.last !== pair) card.dataset.earlier = this.last;
    const before = this.judged.get(this.last);
    if (before) before.dataset.later = pair;
    this.last = pair;
    this.keep(card);
  }
  withdraw(card) {
    if (this.last === pairOf(card)) this.last = number(card.dataset.earlier);
    const before = this.judged.get(this.last);
    if (before) delete before.dataset.later;
    this.judged.delete(pairOf(card));
  }

  // Puts a card on the screen. A card that was not answered waits in front of the others.
  show(card) {
    const old = this.current;
    if (old && old !== card) {
      moveShared(old, card);
      const waits = !this.isJudged() && old.dataset.pair && !old.dataset.answered && !this.next.includes(old);
      if (waits) this.next.unshift(old);
      old.replaceWith(card);
    }
    this.next = this.next.filter((one) => pairOf(one) !== pairOf(card)); // it may have been sent anew
    this.current = card;
    restoreFolds(card);
  }
}

// What belongs to the page moves along: guidelines and notices.
function moveShared(old, card) {
  for (const name of ["guidelines", "notices"]) {
    const here = old.querySelector(`[data-place=${name}]`);
    const there = card.querySelector(`[data-place=${name}]`);
    if (here && there) there.replaceChildren(...here.childNodes);
  }
}
