// Evidence: the passages that decided. Raters select words in the document, or choose sentences by keyboard.
// Without a script they write them into the box, one on each line.
import { passageOf, sentencesOf } from "./passages.js";
import { say } from "./say.js";

const MOST = 20;
const boxOf = (card) => card?.querySelector("[data-evidence]");
const fieldOf = (card) => boxOf(card)?.querySelector("input[name=evidence]");
const placeOf = ({ field, start }) => `${field} ${start}`;

function read(card) {
  try {
    return JSON.parse(fieldOf(card).value || "[]");
  } catch {
    return [];
  }
}
function write(card, passages) {
  const field = fieldOf(card);
  field.value = JSON.stringify(passages.slice(0, MOST));
  field.dispatchEvent(new Event("input", { bubbles: true })); // as if typed, so that it is kept
  boxOf(card).querySelector("textarea").value = "";
  draw(card);
}

function draw(card) {
  const passages = read(card);
  const remove = (nth) => write(card, passages.filter((_, other) => other !== nth));
  const rows = passages.map(({ quote }, nth) => passageRow(quote, () => remove(nth)));
  boxOf(card).querySelector("[data-passages]").replaceChildren(...rows);
}
function passageRow(quote, remove) {
  const row = document.createElement("li");
  const words = document.createElement("q");
  words.dir = "auto";
  words.textContent = quote;
  const button = document.createElement("button");
  Object.assign(button, { type: "button", className: "btn btn-quiet btn-small", textContent: "Remove" });
  button.setAttribute("aria-label", `Remove “${quote.slice(0, 60)}”`);
  button.addEventListener("click", remove);
  row.append(words, " ", button);
  return row;
}

function add(card, passage) {
  const passages = read(card);
  if (passages.some((old) => old.quote === passage.quote && old.start === passage.start)) return;
  write(card, [...passages, passage]);
  boxOf(card).open = true;
  say(`Evidence: ${passage.quote.slice(0, 200)}`);
}

// Adds words that are selected in a document; `current()` is the card on the screen.
export function listenToSelections(current) {
  document.addEventListener("pointerup", ({ target }) => {
    if (!(target instanceof Element) || !target.closest("[data-document]")) return;
    const card = target.closest("[data-row]") ?? current();
    const selection = getSelection();
    if (!boxOf(card) || selection.isCollapsed || selection.rangeCount === 0) return;
    const passage = passageOf(selection.getRangeAt(0));
    if (passage) add(card, passage);
  });
}

// By keyboard: a dialog with the sentences.
export function chooseSentences(card) {
  const dialog = document.getElementById("judge-sentences");
  if (!boxOf(card) || !dialog) return false;
  const all = sentencesOf(card);
  const before = new Set(read(card).map(placeOf));
  dialog.querySelector("[data-sentences]").replaceChildren(
    ...all.map((passage, nth) => sentenceChoice(passage, nth, before.has(placeOf(passage)))),
  );
  dialog.returnValue = "";
  dialog.onclose = () => {
    if (dialog.returnValue !== "take") return;
    const choice = [...dialog.querySelectorAll("input:checked")].map((tick) => all[Number(tick.value)]);
    const places = new Set(all.map(placeOf));
    write(card, [...read(card).filter((one) => !places.has(placeOf(one))), ...choice]);
    boxOf(card).open = true;
    say(`${choice.length} passage${choice.length === 1 ? "" : "s"} chosen.`);
  };
  dialog.showModal();
  dialog.querySelector("input")?.focus();
  return true;
}
function sentenceChoice({ quote }, nth, checked) {
  const label = document.createElement("label");
  label.className = "choice";
  label.dir = "auto";
  const tick = document.createElement("input");
  Object.assign(tick, { type: "checkbox", value: String(nth), checked });
  label.append(tick, " ", quote);
  return label;
}

export function prepareEvidence(card) {
  const box = boxOf(card);
  if (!box) return;
  for (const part of box.querySelectorAll("[data-evidence-help], [data-command=evidence]")) part.hidden = false;
  box.querySelector("textarea").hidden = true;
  // On a phone it would cover the document. A grade that requires evidence opens it.
  if (matchMedia("(max-width: 50rem)").matches && !read(card).length) box.open = false;
  draw(card);
}

// Whether this grade has the passage that it requires.
export function hasEvidence(form, grade) {
  const box = boxOf(form);
  if (!box || box.dataset.rule !== "required") return true;
  const grades = JSON.parse(box.dataset.grades || "[]");
  if (grades.length && !grades.includes(Number(grade))) return true;
  if (read(form).length) return true;
  box.open = true;
  return false;
}
