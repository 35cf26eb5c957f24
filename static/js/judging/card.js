// A card, or a row of the list: its document, and how it shows the answer.
export const number = (text) => (text === undefined || text === "" ? null : Number(text));
export const pairOf = (card) => number(card?.dataset.pair);
export const STAYS = "You can’t change an answer given in practice.";
export const isPractice = (card) => card.dataset.practice !== undefined;
// A document may come twice; each of its cards has an id of its own.
export const idOf = (card) => card?.querySelector("input[name=card]")?.value;
export const titleOf = (card) => card.querySelector(".doc-title")?.textContent.trim().slice(0, 80);
export const commentBox = (card) => card.querySelector("[data-comment] textarea, [data-cannot] textarea");

// A document's card with its HTML, so that it can be kept offline; or a panel that explains why there is none.
export function parseCard(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  const card = template.content.querySelector("[data-card]");
  if (card.dataset.pair) card.source = html;
  return card;
}

// The card as the server made it, without the parts that the page moves from card to card.
export function sourceOf(card) {
  const copy = card.cloneNode(true);
  copy.querySelectorAll("[data-place]").forEach((place) => place.replaceChildren());
  return copy.outerHTML;
}

// The answer that a card shows: {name, value} or null.
export function shownAnswer(card) {
  const pressed = card.querySelector("button[aria-pressed=true]");
  if (pressed) return { name: pressed.name, value: pressed.value };
  const value = card.querySelector("[data-number]")?.value;
  return value ? { name: "grade", value } : null;
}

export const shownName = (card) =>
  card.querySelector("button[aria-pressed=true]")?.dataset.name ?? card.querySelector("[data-number]")?.value ?? "";

// Marks the answer's button or fills its box; null removes the marks.
export function markChoice(card, answer) {
  for (const button of card.querySelectorAll("button[name=grade], button[name=reason]:not([data-missing])")) {
    const isAnswer = answer && button.name === answer.name && button.value === answer.value;
    if (answer) button.setAttribute("aria-pressed", String(Boolean(isAnswer)));
    else button.removeAttribute("aria-pressed");
  }
  const box = card.querySelector("[data-number]");
  if (box) box.value = answer?.name === "grade" ? answer.value : "";
}

// Notes whether the card has an answer, so that another one changes it. The field `known` tells the server.
export function markKnown(card, answer) {
  card.querySelector("input[name=known]")?.remove();
  delete card.dataset.known;
  if (!answer) return;
  card.dataset.known = answer.value;
  const field = document.createElement("input");
  Object.assign(field, { type: "hidden", name: "known", value: "1" });
  card.querySelector("form").append(field);
}

// Shows an answer on its card: the pressed grade or the filled box, and whether it currently counts.
export function markAnswer(card, answer, { withdrawn = false } = {}) {
  markChoice(card, answer);
  markKnown(card, withdrawn ? null : answer);
  card.querySelectorAll(".grade-panel > p.help").forEach((help) => help.remove());
  if (!answer) return;
  const help = document.createElement("p");
  help.className = "help";
  help.textContent = withdrawn
    ? "You took back your answer, which is marked below. Choose again."
    : isPractice(card)
      ? STAYS
      : "You already judged this document. Choose another grade to change your answer.";
  card.querySelector(".grades").before(help);
}
