// What is on the screen in a card's place: a panel that waits for one, or the server's word that there is none.
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
      : "No further documents are on this device. They come when the connection is back; what you judged is kept.";
}

// Returns its heading.
export function showNothing(screen) {
  const panel = parseCard(screen.deck.nothing);
  screen.deck.show(panel);
  screen.walk.draw();
  screen.focusBar();
  return panel.querySelector(".empty h2")?.textContent ?? "";
}
