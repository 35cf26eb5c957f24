// A comment that was typed and not sent with an answer yet is kept on this device, through a reload and a lost session.
(function () {
  "use strict";

  const PREFIX = "touchstone.draft.";
  const KEPT_MS = 7 * 24 * 3600_000;
  const judge = ((window.touchstone ??= {}).judge ??= {});
  const root = document.getElementById("judge");
  const keyOf = (pair) => `${PREFIX}${root.dataset.account}.${root.dataset.list}.${pair}`;
  const pairOf = (box) => box.form?.elements.pair?.value;

  // Storage may be refused or full: the comment is then in its box only.
  function tried(work) {
    try {
      return work();
    } catch {
      return null;
    }
  }
  const read = (key) => tried(() => JSON.parse(localStorage.getItem(key)));
  const drop = (pair) => tried(() => localStorage.removeItem(keyOf(pair)));

  function restore(card) {
    for (const box of card.querySelectorAll("textarea[name=comment]")) {
      const draft = read(keyOf(pairOf(box)));
      if (!draft || draft.text === box.value) continue;
      box.value = draft.text;
      const fold = box.closest("details");
      if (fold) fold.open = true;
    }
  }

  document.addEventListener("input", (event) => {
    const box = event.target;
    if (!(box instanceof HTMLTextAreaElement) || box.name !== "comment" || !pairOf(box)) return;
    if (box.value === box.defaultValue) drop(pairOf(box));
    else tried(() => localStorage.setItem(keyOf(pairOf(box)), JSON.stringify({ text: box.value, at: Date.now() })));
  });

  tried(() => {
    for (const key of Object.keys(localStorage)) {
      if (key.startsWith(PREFIX) && Date.now() - (read(key)?.at ?? 0) > KEPT_MS) localStorage.removeItem(key);
    }
  });

  judge.drafts = { restore, drop };
})();
