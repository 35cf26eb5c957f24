// Marks under the words of the query: on or off, and from one to the next.
import { say } from "./say.js";

let marked = true;
let hit = -1;

export function applyMarks(card) {
  for (const mark of card.querySelectorAll("[data-document] mark, [data-document] .mark-off")) {
    const wanted = document.createElement(marked ? "mark" : "span");
    if (!marked) wanted.className = "mark-off";
    if (mark.localName === wanted.localName) continue;
    wanted.append(...mark.childNodes);
    mark.replaceWith(wanted);
  }
}

export function toggleMarks(root) {
  marked = !marked;
  applyMarks(root);
  say(marked ? "Words of the query are marked." : "Words of the query are not marked.");
}

// A card comes on the screen: the next word is its first.
export function startMarks(card) {
  hit = -1;
  applyMarks(card);
}

// The next marked word that is in sight somewhere; those in closed folds are passed over.
export function nextHit(card, { back }) {
  const hits = [...card.querySelectorAll("[data-document] mark")].filter((mark) => mark.getClientRects().length);
  card.querySelector("mark.hit")?.classList.remove("hit");
  if (!hits.length) return say("No word of the query is marked here.");
  hit = (hit + (back ? -1 : 1) + hits.length) % hits.length;
  hits[hit].classList.add("hit");
  hits[hit].scrollIntoView({ block: "center", behavior: "instant" });
  return say(`${hits[hit].textContent}, ${hit + 1} of ${hits.length}.`);
}
