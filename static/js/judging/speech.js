// Announces a card together with what became of the last answer, or alone when that takes long.
const WAIT_MS = 1500;

export class Speech {
  #card = ""; // waits to be said
  #timer = null;
  #lately = { words: "", until: 0 }; // the card that is being read out

  constructor(say, { now = () => performance.now() } = {}) {
    this.say = say;
    this.now = now;
  }

  sayCard(words) {
    clearTimeout(this.#timer);
    this.#card = words;
    this.#timer = setTimeout(() => this.sayWithCard(""), WAIT_MS);
  }

  // What comes right after a card was said says it again, since it takes the place of what was being read out.
  sayWithCard(before) {
    clearTimeout(this.#timer);
    if (this.#card) this.#lately = { words: this.#card, until: this.now() + WAIT_MS };
    this.#card = "";
    const card = this.now() < this.#lately.until ? this.#lately.words : "";
    const text = [before, card].filter(Boolean).join(" ");
    if (text) this.say(text);
  }
}
