// What was typed or chosen and not sent with an answer yet (comment, evidence, confidence) is kept on this device, through a
// reload and a lost session.
import { attempt } from "../attempt.js";

const PREFIX = "touchstone.draft.";
const KEPT_MS = 7 * 24 * 3600_000;
const NAMES = ["comment", "evidence", "confidence"];

export class Drafts {
  constructor({ account, list }, { storage = () => localStorage, now = () => Date.now() } = {}) {
    this.prefix = `${PREFIX}${account}.${list}.`;
    this.storage = storage;
    this.now = now;
  }

  // Values by the names of their fields.
  read(pair) {
    return this.#read(this.prefix + pair)?.values ?? {};
  }

  keep(pair, name, value) {
    this.#write(pair, { ...this.read(pair), [name]: value });
  }

  // One field, or all.
  drop(pair, name) {
    const values = name ? this.read(pair) : {};
    delete values[name];
    if (Object.keys(values).length) this.#write(pair, values);
    else attempt(() => this.storage().removeItem(this.prefix + pair));
  }

  // Whichever account and list they belong to.
  forgetOld() {
    attempt(() => {
      const storage = this.storage();
      const keys = Array.from({ length: storage.length }, (_, nth) => storage.key(nth));
      for (const key of keys.filter((one) => one.startsWith(PREFIX))) {
        if (this.now() - (this.#read(key)?.at ?? 0) > KEPT_MS) storage.removeItem(key);
      }
    });
  }

  restore(card) {
    for (const { elements } of card.querySelectorAll("form[data-answer]")) {
      for (const [name, value] of Object.entries(this.read(elements.pair?.value))) {
        const field = elements[name]; // radio buttons answer together, and have no fold
        if (!field || field.value === value) continue;
        field.value = value;
        const fold = field.closest?.("details");
        if (fold) fold.open = true;
      }
    }
  }

  listen() {
    this.forgetOld();
    document.addEventListener("input", ({ target: field }) => {
      const pair = field.form?.elements.pair?.value;
      if (!pair || !NAMES.includes(field.name)) return;
      if (field.localName === "textarea" && field.value === field.defaultValue) this.drop(pair, field.name);
      else this.keep(pair, field.name, field.value);
    });
  }

  #read(key) {
    return attempt(() => JSON.parse(this.storage().getItem(key)));
  }

  #write(pair, values) {
    const draft = JSON.stringify({ values, at: this.now() });
    attempt(() => this.storage().setItem(this.prefix + pair, draft));
  }
}
