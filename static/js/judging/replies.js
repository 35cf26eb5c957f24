// Handles replies of the server and changes from other tabs and devices.
import { idOf, markAnswer, parseCard, shownName } from "./card.js";
import { choiceOf } from "./entries.js";
import { dropPaused, showJudgedElsewhere, showNote, showPaused, showPractice } from "./notices.js";
import { isBusyElsewhere, wordsOf } from "./screen.js";

export class Replies {
  #failed = null; // the key of the answer whose card came back

  constructor(screen) {
    this.screen = screen;
    this.deck = screen.deck;
    this.sender = screen.sender;
  }

  onReply(content, entry) {
    const { screen, deck } = this;
    if (entry && entry.list !== screen.list) return this.sender.refresh();
    const before = deck.pair();
    this.#takeCards(content);
    screen.showNews(content);
    screen.offline.keep();
    const judging = before !== null && !deck.isJudged() && !screen.isWaiting;
    if (content.reason === "paused" && judging) showPaused(wordsOfPanel(content.nothing));
    else dropPaused();
    if (entry?.kind === "undo") return this.#afterUndo(content, entry);
    this.#goOn(content, entry);
    if (content.saved) screen.speech.sayWithCard(wordsOf(content).join(" "));
    return undefined;
  }

  #takeCards(content) {
    if (!content.held) return;
    const { screen, deck, sender } = this;
    const back = screen.own().filter((one) => one.kind === "undo").map((one) => one.pair);
    deck.take(content, screen.acted(), back);
    const few = deck.have().length < screen.ahead;
    if (content.cards.length && few && !sender.waiting().length) sender.refresh(); // further ones, a few at a time
  }

  #goOn(content, entry) {
    const { screen } = this;
    if (content.practice) this.#showRight(content);
    else if (entry && entry.key === this.#failed) this.#afterFailure(entry);
    else if (screen.isWaiting && content.held) screen.advance();
    else {
      screen.showStep();
      this.#noticeLost(content);
    }
  }

  #showRight({ practice, saved }) {
    if (saved?.pair === this.deck.pair()) showPractice(practice, () => this.screen.advance());
  }

  // The server takes back the last act on any device. Its card comes on the screen, unless it was there when the key was
  // pressed: the rater may have continued.
  #afterUndo({ saved }, { shown }) {
    const { screen } = this;
    if (saved) screen.speech.sayWithCard(`${saved.text}.`);
    if (saved?.pair && saved.pair !== this.deck.pair() && !shown) return this.#bring(saved.pair, saved.card);
    if (screen.isWaiting) return screen.advance();
    return screen.showStep();
  }

  async #bring(pair, id) {
    await this.screen.goTo(pair, id);
    this.screen.guard();
  }

  // The server failed at an answer: its card comes back with the choice kept, unless the rater has continued.
  onFailed(entry) {
    const { screen } = this;
    const newest = screen.acts.isNewest(entry.key);
    const typing = isBusyElsewhere() || screen.find("[data-number]")?.value;
    if (!newest || entry.failed.times > 1 || entry.kind !== "answer" || typing) return;
    this.#failed = entry.key;
    this.#bring(entry.pair, entry.fields.card);
  }
  #afterFailure(entry) {
    const { screen } = this;
    this.#failed = null;
    if (this.deck.pair() !== entry.pair || isBusyElsewhere()) return screen.showStep();
    screen.advance();
    return screen.guard();
  }

  // For the heartbeat: somebody else may have taken over the document in the meantime. Judging it still counts.
  #noticeLost({ kept, judged = [] }) {
    const card = this.deck.current;
    const pair = this.deck.pair();
    if (!kept || pair === null || this.deck.isJudged() || this.deck.isAnswered()) return;
    if (judged.includes(pair)) this.#showJudged(card, pair);
    else if (kept.includes(pair)) card.dataset.held = "1";
    else if (card.dataset.held === "1") {
      card.dataset.held = "";
      showNote("While you were away, somebody else took over this document. Your judgment counts, too.");
    }
  }

  // The pair was judged on another device: the card comes with that answer, so that another choice changes it.
  async #showJudged(old, pair) {
    const { screen, deck } = this;
    const card = await screen.walk.fetchCard(pair, idOf(old));
    if (!card || deck.current !== old || old.dataset.answered) return;
    old.dataset.answered = "1";
    deck.append(card);
    screen.show(card);
    screen.guard();
    showJudgedElsewhere(shownName(card), () => screen.advance());
  }

  // Another tab of this browser has added an act to the store or removed one.
  onOtherTab({ newValue }) {
    const { screen, deck } = this;
    const entry = JSON.parse(newValue || null);
    if (!entry) this.sender.refresh();
    if (entry?.kind !== "answer" || entry.list !== screen.list) return;
    deck.remove(entry.pair);
    if (entry.pair !== deck.pair() || deck.isJudged()) return;
    markAnswer(deck.current, choiceOf(entry.fields));
    deck.append(deck.current);
    screen.showStep();
    showJudgedElsewhere(entry.name, () => screen.advance());
  }
}

const wordsOfPanel = (html) => parseCard(html).querySelector(".empty p")?.textContent.trim() ?? "";
