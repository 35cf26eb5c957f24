// Panels in place of a card: one that waits for a card, or the server's message that none is left.
import { parseCard } from "./card.js";

const WAITING = `
  <div class="judge-card judge-waiting" data-card>
    <div class="query-bar" tabindex="-1"><p class="query-text">&nbsp;</p></div>
    <div class="judge-document"><div data-place="guidelines"></div><p class="waiting-words" data-waiting></p></div>
    <div class="grade-panel"><div data-place="notices"></div></div>
  </div>`;

export function showWaiting(screen) {
  screen.deck.show(parseCard(WAITING));
  tellWaiting(screen);
  screen.focusBar();
}

export function tellWaiting(screen) {
  const words = screen.find("[data-waiting]");
  if (!words) return;
  words.textContent =
    navigator.onLine && screen.root.dataset.state !== "offline"
      ? "Fetching the next document…"
      : "No more documents are on this device. They come when you are online again. Your judgments are kept.";
}

// Returns its heading.
export function showNothing(screen) {
  const panel = parseCard(screen.deck.nothing);
  screen.deck.show(panel);
  screen.walk.draw();
  screen.focusBar();
  return panel.querySelector(".empty h2")?.textContent ?? "";
}
