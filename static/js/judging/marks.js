// Marks under the words of the query: on or off, and the next one.
import { say } from "./say.js";

let marksOn = true;
let hit = -1;

export function applyMarks(card) {
  for (const mark of card.querySelectorAll("[data-document] mark, [data-document] .mark-off")) {
    const element = document.createElement(marksOn ? "mark" : "span");
    if (!marksOn) element.className = "mark-off";
    if (mark.localName === element.localName) continue;
    element.append(...mark.childNodes);
    mark.replaceWith(element);
  }
}

export function toggleMarks(root) {
  marksOn = !marksOn;
  applyMarks(root);
  say(marksOn ? "Query words are marked." : "Query words aren’t marked.");
}

// For a new card: the next word is its first.
export function startMarks(card) {
  hit = -1;
  applyMarks(card);
}

// The next visible marked word. Those in closed folds are skipped.
export function nextHit(card, { back }) {
  const hits = [...card.querySelectorAll("[data-document] mark")].filter((mark) => mark.getClientRects().length);
  card.querySelector("mark.hit")?.classList.remove("hit");
  if (!hits.length) return say("No query words are marked here.");
  hit = (hit + (back ? -1 : 1) + hits.length) % hits.length;
  hits[hit].classList.add("hit");
  hits[hit].scrollIntoView({ block: "center", behavior: "instant" });
  return say(`${hits[hit].textContent}, ${hit + 1} of ${hits.length}.`);
}
