// A comment that was typed and not sent with an answer yet is kept on this device, through a reload and a lost session.
const PREFIX = "touchstone.draft.";
const KEPT_MS = 7 * 24 * 3600_000;

export class Drafts {
  constructor({ account, list }, { storage = () => localStorage, now = () => Date.now() } = {}) {
    this.prefix = `${PREFIX}${account}.${list}.`;
    this.storage = storage;
    this.now = now;
  }

  read(pair) {
    return this.#read(this.prefix + pair)?.text ?? null;
  }

  keep(pair, text) {
    const draft = JSON.stringify({ text, at: this.now() });
    attempt(() => this.storage().setItem(this.prefix + pair, draft));
  }

  drop(pair) {
    attempt(() => this.storage().removeItem(this.prefix + pair));
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
    for (const box of card.querySelectorAll("textarea[name=comment]")) {
      const text = this.read(pairOf(box));
      if (text === null || text === box.value) continue;
      box.value = text;
      const fold = box.closest("details");
      if (fold) fold.open = true;
    }
  }

  listen() {
    this.forgetOld();
    document.addEventListener("input", ({ target: box }) => {
      if (!(box instanceof HTMLTextAreaElement) || box.name !== "comment" || !pairOf(box)) return;
      if (box.value === box.defaultValue) this.drop(pairOf(box));
      else this.keep(pairOf(box), box.value);
    });
  }

  #read(key) {
    return attempt(() => JSON.parse(this.storage().getItem(key)));
  }
}

const pairOf = (box) => box.form?.elements.pair?.value;

// Storage may be refused or full: the comment is then in its box only.
function attempt(work) {
  try {
    return work();
  } catch {
    return null;
  }
}
