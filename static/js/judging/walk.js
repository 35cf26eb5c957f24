// Arrows through one's own judgments, and the review of a query.
import { idOf, number, parseCard } from "./card.js";
import { showReview } from "./dialogs.js";
import { get } from "./post.js";
import { say } from "./say.js";

export class Walk {
  finished = null; // the query that was finished last

  constructor(screen) {
    this.screen = screen;
    this.deck = screen.deck;
  }

  // A card of the rater's own history; null if it can't be loaded. `id` names one of several cards of a document.
  async fetchCard(pair, id) {
    const response = await this.#get(`?pair=${pair}${id ? `&card=${id}` : ""}`, "application/json");
    return response && parseCard((await response.json()).html);
  }

  async goTo(pair, id) {
    let card = this.deck.find(pair);
    if (!card) {
      card = await this.fetchCard(pair, id);
      if (!card) return say("Can’t load this judgment right now.");
      if (card.dataset.known !== undefined) this.deck.keep(card);
    }
    return this.screen.show(card);
  }

  async back() {
    const { deck } = this;
    let pair = this.#before();
    if (!pair && !deck.isJudged() && deck.pair() !== null) {
      pair = (await this.fetchCard(deck.pair(), idOf(deck.current)))?.dataset.earlier;
    }
    return pair ? this.goTo(Number(pair)) : say("There is no earlier judgment.");
  }

  onward() {
    const { deck } = this;
    const pair = deck.isJudged() ? deck.current.dataset.later : null;
    if (pair) return this.goTo(Number(pair));
    if (deck.isJudged() || deck.pair() === null) return this.screen.advance();
    return say("This is the document to judge.");
  }

  // All answers of the query that was finished last, or of the one on the screen, to find slips.
  async review() {
    const query = this.finished ?? this.deck.current?.dataset.query;
    if (!query) return;
    const response = await this.#get(`queries/${query}/`);
    const unsent = this.screen.own().filter((entry) => entry.kind === "answer" && entry.query === query);
    if (response) showReview(await response.text(), unsent.length);
    else say("Can’t load your grades right now.");
  }

  // The arrows in the foot.
  draw() {
    const { root, page } = this.screen;
    const judged = this.deck.isJudged();
    const before = this.#before();
    const after = number(this.deck.current?.dataset.later);
    const back = root.querySelector("[data-command=earlier]");
    const onward = root.querySelector("[data-command=later]");
    back.hidden = !before;
    back.href = before ? `${page}?pair=${before}` : page;
    onward.hidden = !judged;
    onward.href = after ? `${page}?pair=${after}` : page;
  }

  #before() {
    const earlier = number(this.deck.current?.dataset.earlier);
    return this.deck.isJudged() ? earlier : (this.deck.last ?? earlier);
  }

  // That the session has ended is found out by the sender, too, which says so.
  #get(address, accept) {
    return get(this.screen.page + address, { accept, onSignedOut: () => this.screen.sender.refresh() });
  }
}
