// The entries of acts in the store, until the server has acknowledged them.
import { idOf, isPractice, pairOf, titleOf } from "./card.js";
import { uuid } from "./store.js";

export function answerEntry({ list }, card, { url, fields, name }) {
  const { query } = card.dataset;
  const practice = isPractice(card) && { practice: true };
  return { kind: "answer", list, url, fields, name, pair: pairOf(card), title: titleOf(card), query, ...practice };
}

export function skipEntry({ list, skip }, card) {
  const put_off = card.querySelector("input[name=put_off]")?.value ?? "";
  const fields = { pair: card.dataset.pair, card: idOf(card), put_off };
  return { kind: "skip", list, url: skip, name: "Later", pair: pairOf(card), fields, title: titleOf(card) };
}

// Names the act to take back; without one it is the last that the server knows. `shown`: its card is on the screen.
export function undoEntry({ list, undo }, entry) {
  const fields = {
    undo_id: uuid(),
    ...(entry?.kind === "answer" && { answer: entry.fields.request_id }),
    ...(entry?.kind === "skip" && { pair: entry.pair }),
  };
  return { kind: "undo", list, url: undo, fields, pair: entry?.pair, name: "Undo", shown: Boolean(entry) };
}

// The same act once more, as a request of its own.
export function again(entry) {
  const fresh = entry.kind === "skip" ? { put_off: "" } : { request_id: uuid() };
  return { ...entry, fields: { ...entry.fields, ...fresh } };
}

export const choiceOf = ({ reason, grade }) => (reason ? { name: "reason", value: reason } : { name: "grade", value: grade });
