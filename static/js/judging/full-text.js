// The fold with the full text. The rest of a very long text comes part by part; without a script it is a page of its own.
import { applyMarks } from "./marks.js";
import { get } from "./post.js";
import { say } from "./say.js";

export function toggleFullText(card) {
  const full = card.querySelector("[data-full]");
  if (full) full.open = !full.open;
  return Boolean(full);
}

// The excerpt goes while the whole is shown.
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
    else say("The text cannot be fetched at present.");
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
