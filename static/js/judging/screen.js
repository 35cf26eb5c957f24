// Shared by both views of the rating screen. Between key and next card nothing waits for the network: an answer goes into
// the store, the next card is shown, and only then the answer is sent. Without the script the page works by plain forms.
import { Acts } from "./acts.js";
import { commentBox, pairOf, shownAnswer } from "./card.js";
import { Clock } from "./clock.js";
import { closeSignIn, isDialogOpen, listenToDialogs, showHelp } from "./dialogs.js";
import { Drafts } from "./drafts.js";
import { again, answerEntry, skipEntry, undoEntry } from "./entries.js";
import { chooseSentences, listenToSelections, prepareEvidence } from "./evidence.js";
import { rememberFolds, toggleGuidelines } from "./folds.js";
import { fieldsOf } from "./form.js";
import { listenToParts, toggleFullText, watchFullText } from "./full-text.js";
import { listenToKeys } from "./keyboard.js";
import { KeyMap } from "../keymap.js";
import { nextHit, startMarks, toggleMarks } from "./marks.js";
import { clearNotices, showConflict, showGuidelines, showNote, showRefused, showState, tryAgain } from "./notices.js";
import { OwnShare } from "./own-share.js";
import { describeState } from "./save-state.js";
import { say } from "./say.js";
import { Sender } from "./sender.js";
import { listenToSliders, showSliders } from "./slider.js";
import { uuid } from "./store.js";

// A view has besides: current, have(entry), onReply(content, entry), show(card), goTo(pair, id), mayAnswer(card),
// give(card, entry, prior), later(card, entry), bringBack(act), choose(event), and further `commands`.
export class Screen {
  constructor(root) {
    const { account, list, page, cards, undo, skip, keys, shortcuts } = root.dataset;
    Object.assign(this, { root, account, list, page, cards, undo, skip });
    this.shortcuts = shortcuts === "on";
    this.keymap = new KeyMap(JSON.parse(keys), { shortcuts: this.shortcuts });
    this.clock = new Clock();
    this.drafts = new Drafts({ account, list });
    this.share = new OwnShare(root);
    this.acts = new Acts();
    this.undoForm = root.querySelector("[data-undo-form]");
    this.nothingBefore = this.undoForm.hidden;
    this.sender = new Sender(this);
  }

  // The commands of keys and buttons; see judgments/judging/shortcuts.py. False: there is nothing to do.
  commands = {
    undo: ({ shiftKey }) => (shiftKey ? this.redo() : this.takeBack()),
    redo: () => this.redo(),
    skip: () => this.putOff(this.current),
    comment: () => this.openFold(commentBox(this.current)),
    evidence: () => chooseSentences(this.current),
    full: () => toggleFullText(this.current),
    marks: () => toggleMarks(this.root),
    hit: ({ shiftKey }) => nextHit(this.current, { back: shiftKey }),
    guidelines: () => toggleGuidelines(),
    sure: ({ code }) => this.chooseConfidence(code.at(-1)),
    help: () => showHelp(),
    again: () => tryAgain(),
    leave: ({ target }) => target instanceof HTMLTextAreaElement && void target.blur(),
  };

  listen() {
    listenToSliders();
    listenToKeys(this);
    listenToSelections(() => this.current);
    listenToParts();
    listenToDialogs({ goTo: (pair) => this.goTo(pair), onSignedIn: () => this.sender.refresh() });
    rememberFolds();
    this.clock.listen();
    this.drafts.listen();
    this.sender.listen();
    document.addEventListener("click", (event) => this.click(event));
    document.addEventListener("submit", (event) => this.submit(event));
    for (const button of this.root.querySelectorAll("[data-command=help]")) button.hidden = false;
  }

  // --- events of the page --------------------------------------------------------------------------------------

  click(event) {
    const button = event.target instanceof Element && event.target.closest("[data-command]");
    if (!button || button.form?.matches("[data-undo-form]") || button.matches("[name], [formaction], [popovertarget]")) return;
    if (button.localName === "a") event.preventDefault();
    this.commands[button.dataset.command]?.(event);
  }

  submit(event) {
    const { target: form, submitter } = event;
    if (form.matches("[data-undo-form]")) this.takeBack();
    else if (!form.matches("[data-answer]")) return;
    else if (submitter?.dataset.command === "skip") this.putOff(cardOf(form));
    else this.answer(form, submitter);
    event.preventDefault();
  }

  gradeButton(key) {
    const sign = key.toLowerCase();
    return /^[0-9a-z]$/.test(sign) ? this.current?.querySelector(`[data-key="${CSS.escape(sign)}"]`) : null;
  }

  press(button) {
    if (!button) return false;
    this.clock.method = "key";
    button.click();
    this.clock.method = "click";
    return true;
  }

  chooseConfidence(digit) {
    const choice = this.current.querySelector(`[name=confidence][value="${digit}"]`);
    choice?.click();
    return Boolean(choice);
  }

  // Opens and enters, but never closes: what is typed next must not be taken for commands.
  openFold(inside) {
    if (!inside) return false;
    inside.closest("details").open = true;
    inside.focus();
    return true;
  }

  // Prepares a card that is now on the page: parts that need the script, and the rater's settings.
  prepare(card) {
    card.querySelectorAll("form").forEach((form) => (form.noValidate = true)); // the script shows what is missing
    showSliders(card);
    startMarks(card);
    this.drafts.restore(card);
    prepareEvidence(card);
    watchFullText(card);
  }

  // --- acts ----------------------------------------------------------------------------------------------------

  answer(form, button) {
    const card = cardOf(form);
    if (!this.mayAnswer(card)) return;
    const fields = fieldsOf(form, button);
    if (!fields) return;
    const prior = this.supersede(pairOf(card)) ?? (card.dataset.known === undefined ? null : shownAnswer(card));
    Object.assign(fields, this.clock.read(), { request_id: uuid() });
    this.acts.forgetTakenBack();
    const name = button?.dataset.name ?? fields.grade;
    this.give(card, answerEntry(this, card, { url: form.action, fields, name }), prior);
  }

  // Keeps the act. `prior` is the answer before, `{none: true}` where there was none but one at which the server failed.
  record(card, entry, prior = null) {
    this.acts.record({ key: this.sender.add(entry), card, entry, prior: prior?.none ? null : prior });
    this.showUndo();
    clearNotices();
    if (entry.kind !== "answer") return;
    this.drafts.drop(entry.pair);
    if (!prior && !entry.practice) this.share.addJudgment();
  }

  putOff(card) {
    if (!card || !this.mayPutOff(card)) return;
    this.acts.forgetTakenBack();
    this.later(card, skipEntry(this, card));
  }

  takeBack() {
    const act = this.acts.takeBack();
    clearNotices();
    if (!act || !this.sender.recall(act.key)) this.sender.add(undoEntry(this, act?.entry));
    this.showUndo();
    if (!act) return this.sender.drain();
    if (act.entry.kind === "answer" && !act.prior) this.share.takeBack();
    const field = act.card.querySelector("input[name=put_off]");
    if (field && act.entry.kind === "skip") field.value = "";
    return this.bringBack(act);
  }

  redo() {
    const act = this.acts.redo();
    if (!act) return say("There is nothing to redo.");
    const { card, entry, prior } = act;
    if (this.current !== card) this.show(card);
    return entry.kind === "skip" ? this.later(card, again(entry)) : this.give(card, again(entry), prior);
  }

  // Undo is hidden where neither the server nor this visit has an act to take back.
  showUndo() {
    const button = this.root.querySelector("[data-command=redo]");
    if (button) button.hidden = !this.acts.canRedo;
    this.undoForm.hidden = this.nothingBefore && !this.acts.canUndo && !this.own().some(({ kind }) => kind !== "undo");
  }

  // Another choice replaces one at which the server failed. Undo still leads back to the answer before that one.
  supersede(pair) {
    const failed = this.own().find((entry) => entry.kind === "answer" && entry.pair === pair && entry.failed && !entry.stuck);
    if (!failed || !this.sender.recall(failed.key)) return null;
    return this.acts.remove(failed.key)?.prior ?? { none: true };
  }

  // The acts in this list that the server has not acknowledged.
  own() {
    return this.sender.store.all().filter((entry) => entry.list === this.list);
  }

  // --- calls by the sender -------------------------------------------------------------------------------------

  // The parts that any reply may bring.
  showNews({ own, guidelines, notes = [] }) {
    if (own) this.share.replace(own, this.sender.firstWaiting().length);
    if (guidelines) showGuidelines(guidelines);
    notes.forEach(showNote);
  }

  onState(state) {
    const { line, kept, level, isTrouble } = describeState(state);
    this.showUndo();
    const foot = this.root.querySelector("[data-save-state]");
    foot.textContent = line;
    foot.dataset.state = level;
    this.root.dataset.state = state.kind;
    if (!isTrouble) closeSignIn(); // who signed in again in another tab
    showState({ ...state, kept, reopens: this.reopens(), retry: () => this.sender.retry() });
    if (isTrouble) this.sayState(`${line}.`);
  }
  reopens() {
    return false;
  }
  sayState() {}
  onFailed() {}
  onConflict({ key }, { problem }) {
    const entry = this.own().find((one) => one.key === key);
    if (entry) showConflict(entry, problem, this.sender);
  }
  onRefused({ key }, content) {
    const entry = this.own().find((one) => one.key === key);
    if (entry) showRefused(entry, content?.problem, { sender: this.sender, goTo: (pair, id) => this.goTo(pair, id) });
  }
}

export const isBusyElsewhere = () => Boolean(document.activeElement?.closest("textarea, dialog")) || isDialogOpen();

// The sentences of a reply.
export function wordsOf({ saved, practice, notes = [] }) {
  return [`${saved.text}.`, practice && `${practice.title}. ${practice.text}`, ...notes].filter(Boolean);
}

const cardOf = (form) => form.closest("[data-card], [data-row]");
