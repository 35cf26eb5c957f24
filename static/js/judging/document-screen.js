// One document at a time: its card is on the screen, and others wait behind it.
import { markAnswer, shownAnswer, shownName, sourceOf } from "./card.js";
import { Deck } from "./deck.js";
import { choiceOf } from "./entries.js";
import { foldGuidelines } from "./folds.js";
import { showQueryDone } from "./notices.js";
import { Offline } from "./offline.js";
import { showNothing, showWaiting, tellWaiting } from "./placeholders.js";
import { Replies } from "./replies.js";
import { say } from "./say.js";
import { Screen } from "./screen.js";
import { moveSlider } from "./slider.js";
import { Speech } from "./speech.js";
import { Tally } from "./tally.js";
import { Walk } from "./walk.js";

const GUARD_MS = 600; // after a change of query, so that a key meant for the last document hits no new one
const DOUBLE_MS = 500; // the second click of a double click
const SKELETON_MS = 150;

export class DocumentScreen extends Screen {
  isWaiting = false; // no card is left, but the server may have some
  #guardUntil = 0;
  #shownAt = 0;
  #clicks = 0;
  #withSkipped = new URLSearchParams(location.search).has("skipped");

  constructor(root) {
    super(root);
    this.deck = new Deck(root.querySelector("[data-card]"));
    if (this.deck.pair() !== null) this.current.source = sourceOf(this.current);
    this.ahead = Number(root.dataset.ahead); // how many cards are kept, if there are enough
    this.low = Math.max(this.ahead - 5, 4); // with so many left, further ones are fetched
    this.query = this.current?.dataset.query; // of the card that was shown last
    this.tally = new Tally(this.current);
    this.speech = new Speech(say);
    this.walk = new Walk(this);
    this.replies = new Replies(this);
    this.offline = new Offline({ root, deck: this.deck, acted: () => this.acted() });
  }

  get current() {
    return this.deck.current;
  }

  commands = {
    ...this.commands,
    skip: () => this.isGuarded() || this.putOff(this.current),
    cannot: () => this.#toggleReasons(),
    earlier: () => void this.walk.back(),
    later: () => void this.walk.onward(),
    more: ({ key }) => moveSlider(this.current, key),
    less: ({ key }) => moveSlider(this.current, key),
    review: () => void this.walk.review(),
  };

  listen() {
    super.listen();
    document.addEventListener("click", (event) => (this.#clicks = event.detail), { capture: true });
    window.addEventListener("storage", (event) => {
      if (event.key?.startsWith(this.sender.store.prefix)) this.replies.onOtherTab(event);
    });
  }

  // --- keys ----------------------------------------------------------------------------------------------------

  find(selector) {
    return this.current?.querySelector(selector);
  }

  choose(event) {
    const key = event.key.toLowerCase();
    if (this.find("#judge-reasons:popover-open")) {
      if (/^\d$/.test(key)) return this.isGuarded() || this.press(this.find(`[data-reason-key="${key}"]`));
      return this.keymap.commandsOf(event).includes("cannot") ? undefined : false;
    }
    const box = this.find("[data-number]");
    if (box && /^[0-9.,-]$/.test(key)) {
      box.focus();
      box.select();
      return false; // the figure itself then goes into the box
    }
    const button = this.gradeButton(key);
    return button ? this.isGuarded() || this.press(button) : undefined;
  }

  // A key right after a change of query was meant for the previous document. The notice of the new query flashes.
  isGuarded() {
    if (!this.guarded()) return false;
    this.find("[data-query-new]")?.classList.add("pressed-early");
    return true;
  }
  guarded() {
    return performance.now() < this.#guardUntil;
  }
  // When the screen changes by itself, the next key may have been meant for the previous card.
  guard() {
    this.#guardUntil = performance.now() + GUARD_MS;
  }

  #toggleReasons() {
    const reasons = this.find("#judge-reasons");
    if (!reasons) return false;
    reasons.togglePopover();
    this.find("#judge-reasons:popover-open button")?.focus();
    return true;
  }

  // --- cards ---------------------------------------------------------------------------------------------------

  goTo(pair, id) {
    return this.walk.goTo(pair, id);
  }

  show(card) {
    const changed = this.query !== undefined && card.dataset.query !== this.query;
    this.query = card.dataset.query;
    this.deck.show(card);
    this.#wait(false);
    delete card.dataset.answered;
    this.prepare(card);
    this.showStep();
    const sign = this.find("[data-query-new]");
    if (sign) sign.hidden = !changed;
    this.#shownAt = performance.now();
    if (changed) this.guard();
    this.clock.restart();
    this.walk.draw();
    window.scrollTo({ top: 0 });
    this.focusBar();
    this.speech.sayCard(this.#describe(card, changed));
  }
  #describe(card, changed) {
    const { queryPlace, nth, documents, practice } = card.dataset;
    const news = changed ? `New query. ${queryPlace}: ${this.find("[data-query-text]").textContent}. ` : "";
    const place = this.deck.isJudged() ? `You judged this: ${shownName(card)}` : `Document ${nth} of ${documents}`;
    return `${news}${practice === undefined ? "" : "Practice. "}${place}.`;
  }

  showStep() {
    const step = this.find("[data-step]");
    if (!step) return;
    const { queryPlace, documents, nth } = this.current.dataset;
    step.textContent = `${queryPlace} · ${this.deck.isJudged() ? "judged before" : `document ${nth} of ${documents}`}`;
    const field = this.find("input[name=place]");
    if (field) field.value = nth;
  }

  focusBar() {
    this.find(".query-bar")?.focus({ preventScroll: true });
  }

  // Shows the next card, or the server's message that none is left, or waits for its reply.
  advance() {
    const [card] = this.deck.next;
    if (card) {
      this.show(card);
      this.#tellQueryDone(this.tally.moveTo(card));
    } else if (this.deck.nothing && !this.sender.waiting().length) {
      this.#wait(false);
      this.speech.sayCard(`${showNothing(this)}.`);
    } else {
      this.#wait(true);
      showWaiting(this);
    }
  }
  #wait(isWaiting) {
    this.isWaiting = isWaiting;
    if (!isWaiting) this.root.classList.remove("is-waiting");
    else setTimeout(() => this.isWaiting && this.root.classList.add("is-waiting"), SKELETON_MS);
  }

  #tellQueryDone(done) {
    if (!done) return;
    this.walk.finished = done.query;
    const sign = this.keymap.firstKey("review");
    const key = this.shortcuts && !this.gradeButton(sign) ? sign.toUpperCase() : ""; // a grade's own key gives that grade
    showQueryDone({ ...done, key, review: () => this.walk.review() });
  }

  // --- acts ----------------------------------------------------------------------------------------------------

  mayAnswer(card) {
    const doubled = this.#clicks > 1 && performance.now() - this.#shownAt < DOUBLE_MS;
    return card === this.current && !card.dataset.answered && !doubled;
  }
  mayPutOff(card) {
    return Boolean(card.dataset.pair) && !card.dataset.answered;
  }

  give(card, entry, prior) {
    this.find("#judge-reasons")?.hidePopover?.();
    card.dataset.answered = "1";
    this.record(card, entry, prior);
    if (prior) this.deck.keep(card);
    else {
      this.tally.judged += 1;
      this.deck.append(card);
    }
    markAnswer(card, choiceOf(entry.fields));
    foldGuidelines();
    if (entry.practice) this.#move(() => {}); // the right answer is shown first
    else this.#move(() => (prior ? this.walk.onward() : this.advance()));
  }

  later(card, entry) {
    card.dataset.answered = "later";
    this.tally.putOff += 1;
    this.deck.putOff(card);
    this.record(card, entry);
    this.#move(() => this.advance());
  }

  bringBack({ card, entry, prior }) {
    delete card.dataset.answered;
    if (entry.kind === "skip") {
      this.tally.takeBack("putOff");
      this.deck.bringBack(card);
    } else {
      if (!prior) {
        this.deck.withdraw(card);
        this.tally.takeBack("judged");
      }
      markAnswer(card, prior ?? shownAnswer(card), { withdrawn: !prior });
    }
    this.#move(() => {
      if (this.current !== card) this.show(card);
      else this.showStep();
    });
  }

  // Shows the next step, and sends only after it is painted.
  #move(step) {
    performance.mark("judge:key");
    step();
    requestAnimationFrame(() =>
      setTimeout(() => {
        performance.mark("judge:painted");
        performance.measure("judge:next-card", "judge:key", "judge:painted");
        this.sender.drain();
      }, 0),
    );
  }

  // --- for the sender ------------------------------------------------------------------------------------------

  // The part of a request about the cards here. A reply to an answer brings more if few are left.
  have(entry) {
    const enough = entry?.kind === "answer" && !entry.practice && this.deck.have().length > this.low;
    return {
      have: [...this.deck.have(), ...this.unsentPairs()].join(","),
      ahead: this.ahead,
      guidelines: this.root.dataset.guidelinesVersion,
      ...(enough && { enough: "1" }),
      ...(this.#withSkipped && { skipped: "1" }),
    };
  }
  onReply(content, entry) {
    this.replies.onReply(content, entry);
  }
  onFailed(entry) {
    this.replies.onFailed(entry);
  }
  onState(state) {
    super.onState(state.kind === "offline" ? { ...state, detail: this.#describeCards() } : state);
    tellWaiting(this);
  }
  #describeCards() {
    const left = this.deck.next.length + (this.deck.pair() !== null && !this.deck.isJudged() ? 1 : 0);
    return left ? `You can continue with ${left} document${left === 1 ? "" : "s"}.` : "No other documents are on this device.";
  }
  sayState(text) {
    this.speech.sayWithCard(text);
  }
  reopens() {
    return this.offline.ready;
  }

  unsentPairs() {
    return this.own().filter((entry) => entry.kind === "answer").map((entry) => entry.pair);
  }
  // The pairs with an act that the server hasn't acknowledged.
  acted() {
    return this.own().filter((entry) => entry.kind !== "undo").map((entry) => entry.pair);
  }

  // --- the start -----------------------------------------------------------------------------------------------

  start() {
    this.listen();
    if (this.deck.pair() !== null) {
      this.prepare(this.current);
      this.showStep();
      this.walk.draw();
      this.clock.restart();
    }
    // Acts of an earlier visit are sent first. A card that one of them answered must not be judged again.
    if (this.unsentPairs().includes(this.deck.pair()) && !this.deck.isJudged()) {
      this.current.dataset.answered = "1";
      this.advance();
    }
    for (const entry of this.own()) {
      if (entry.stuck === "conflict") this.onConflict(entry, entry);
      if (entry.stuck === "refused") this.onRefused(entry, entry);
      if (entry.stuck === "gone") this.sender.store.put({ ...entry, stuck: "" }); // the list is open again
    }
    if (this.root.dataset.fromDevice === undefined) this.sender.refresh();
    else this.offline.restore().finally(() => (this.advance(), this.sender.refresh()));
  }
}
