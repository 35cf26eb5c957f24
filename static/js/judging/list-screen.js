// List mode: all documents of a query on one page. Arrows choose the row, a grade's key grades it and goes to the next one
// that has no grade. Each answer is kept, sent and acknowledged by itself, as on the other screen.
import { isPractice, markChoice, markKnown, pairOf, STAYS } from "./card.js";
import { choiceOf } from "./entries.js";
import { showPractice, tryAgain } from "./notices.js";
import { say } from "./say.js";
import { Screen, wordsOf } from "./screen.js";

const waits = (row) => row.dataset.known === undefined && row.dataset.later === undefined;
const tell = (row, text) => (row.querySelector("[data-row-state]").textContent = text);

export class ListScreen extends Screen {
  current = null;

  constructor(root) {
    super(root);
    this.rows = [...root.querySelectorAll("[data-row]")];
  }

  commands = {
    ...this.commands,
    cannot: () => this.openFold(this.current?.querySelector("[data-cannot] button")),
    above: () => this.#step(-1),
    below: () => this.#step(1),
    again: () => tryAgain() || this.#goOn(),
  };

  start() {
    if (!this.rows.length) return;
    this.listen();
    for (const row of this.rows) this.prepare(row);
    const first = this.rows.find(waits) ?? this.rows[0];
    this.show(first, { scroll: first !== this.rows[0] });
    this.sender.refresh();
  }

  // --- rows ----------------------------------------------------------------------------------------------------

  rowOf(pair) {
    return this.rows.find((row) => pairOf(row) === pair);
  }
  open() {
    return this.rows.filter(waits).length;
  }

  show(row, { scroll = true } = {}) {
    this.current?.classList.remove("is-current");
    this.current = row;
    row.classList.add("is-current");
    row.focus({ preventScroll: true });
    if (scroll) row.scrollIntoView({ block: "nearest", behavior: "instant" });
    this.clock.restart();
  }

  goTo(pair) {
    if (this.rowOf(pair)) this.show(this.rowOf(pair));
    else location.assign(`${this.page}?pair=${pair}`);
  }

  // The row after this one that waits, from the top again after the last; none left: on to what comes next.
  #advance(row) {
    const at = this.rows.indexOf(row);
    const next = [...this.rows.slice(at + 1), ...this.rows.slice(0, at)].find(waits);
    if (next) this.show(next);
    else this.root.querySelector("[data-next]").focus();
  }

  #step(by) {
    const row = this.rows[this.rows.indexOf(this.current) + by];
    if (row) this.show(row);
  }

  #goOn() {
    if (this.open()) return false;
    this.root.querySelector("[data-next]").click();
    return true;
  }

  #mark(row, answer, { state = "" } = {}) {
    markChoice(row, answer);
    markKnown(row, answer);
    delete row.dataset.later;
    row.querySelector("[data-command=skip]").hidden = Boolean(answer);
    tell(row, state);
    this.#count();
  }
  #count() {
    this.root.querySelector("[data-open]").textContent = String(this.open());
    this.root.querySelector("[data-next]").hidden = this.open() > 0;
  }

  // --- keys and clicks -----------------------------------------------------------------------------------------

  choose({ key }) {
    const button = this.gradeButton(key);
    return button ? this.press(button) : undefined;
  }

  click(event) {
    const row = event.target instanceof Element && event.target.closest("[data-row]");
    const control = row && event.target.closest("button, a, summary, input, textarea, label");
    if (row && row !== this.current && (!control || control.dataset.command === "evidence")) this.show(row);
    super.click(event);
  }

  // --- acts ----------------------------------------------------------------------------------------------------

  mayAnswer(row) {
    const isOver = isPractice(row) && row.dataset.known !== undefined;
    if (isOver) tell(row, STAYS);
    return !isOver;
  }
  mayPutOff(row) {
    return waits(row);
  }

  give(row, entry, prior) {
    this.record(row, entry, prior);
    this.#mark(row, choiceOf(entry.fields), { state: "saving…" });
    this.#advance(row);
    this.sender.drain();
  }

  later(row, entry) {
    this.record(row, entry);
    row.dataset.later = "";
    tell(row, "later");
    this.#count();
    this.#advance(row);
    this.sender.drain();
  }

  bringBack({ card: row, prior }) {
    this.#mark(row, prior);
    this.show(row);
    this.sender.drain();
  }

  // --- for the sender ------------------------------------------------------------------------------------------

  // All cards are on the page: no further ones are wanted.
  have() {
    const pairs = this.rows.map(pairOf).join(",");
    return { rows: "1", have: pairs, guidelines: this.root.dataset.guidelinesVersion };
  }

  onReply(content, entry) {
    this.showNews(content);
    if (content.practice) showPractice(content.practice, () => {});
    if (!content.saved) return;
    say([...wordsOf(content), `${this.open()} to judge.`].join(" "));
    const { pair } = content.saved;
    const row = this.rowOf(pair);
    if (entry?.kind === "undo" && pair && !row) location.assign(`${this.page}?pair=${pair}`);
    if (entry?.kind === "answer" && row) tell(row, `saved ${this.sender.state.saved.at}`);
  }
}
