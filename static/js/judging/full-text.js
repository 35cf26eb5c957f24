// The fold with the full text. A very long text is fetched part by part. Without a script it has its own page.
import { applyMarks } from "./marks.js";
import { get } from "./post.js";
import { say } from "./say.js";

export function toggleFullText(card) {
  const full = card.querySelector("[data-full]");
  if (full) full.open = !full.open;
  return Boolean(full);
}

// Hides the excerpt while the full text is open.
export function watchFullText(card) {
  const full = card.querySelector("[data-full]");
  if (!full || full.dataset.watched) return;
  full.dataset.watched = "1";
  full.addEventListener("toggle", () => (card.querySelector("[data-excerpt]").hidden = full.open));
}

export function listenToParts() {
  document.addEventListener("click", async (event) => {
    const { target } = event;
    const link = target instanceof Element && target.closest("[data-rest], .doc-rest a[rel], [data-full] .pages a");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const fold = link.closest("[data-full]");
    const url = new URL(link.getAttribute("href"), new URL(fold.dataset.address ?? link.href, location.href));
    fold.dataset.address = url.href;
    const response = await get(url);
    if (response) showPart(fold, await response.text());
    else say("Can’t load the text right now. Try again later.");
  });
}

function showPart(fold, html) {
  const part = document.createElement("template");
  part.innerHTML = html;
  part.content.querySelector(".doc-body").dataset.field = "body";
  fold.replaceChildren(fold.querySelector("summary"), part.content);
  applyMarks(fold.closest("[data-card], [data-row]"));
  fold.scrollIntoView({ block: "start" });
}
