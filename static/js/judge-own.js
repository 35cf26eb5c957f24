// The rater's own numbers in the foot: share of the list and today's count. The server counts; what was done since is
// added here. A daily goal and a hint to take a break come only to raters who asked for them.
(function () {
  "use strict";

  const PAUSE_MS = 5 * 60_000; // so long without a judgment is a break
  const STRETCH = "touchstone.stretch"; // since when, and the latest judgment: in sight of all pages of this tab

  const judge = ((window.touchstone ??= {}).judge ??= {});
  const root = document.getElementById("judge");
  const place = root.querySelector("[data-own-share]");
  const goal = Number(root.dataset.goal);
  const breakMs = Number(root.dataset.breakMinutes) * 60_000;

  function add(count) {
    for (const one of place.querySelectorAll("[data-own]")) {
      if (one.localName === "progress") one.value += count;
      else one.textContent = String(Math.max(0, Number(one.textContent) + count));
    }
  }
  const today = () => Number(place.querySelector("[data-own=today]")?.textContent ?? 0);

  function stretch() {
    try {
      return JSON.parse(sessionStorage.getItem(STRETCH)) ?? {};
    } catch {
      return {};
    }
  }
  function hintBreak() {
    const now = Date.now();
    const { since, latest } = stretch();
    const begun = !since || now - latest > PAUSE_MS ? now : since;
    const due = now - begun >= breakMs;
    try {
      sessionStorage.setItem(STRETCH, JSON.stringify({ since: due ? now : begun, latest: now }));
    } catch {
      return; // without storage there is no hint
    }
    if (due) judge.notices.note(`You have judged for ${Math.round((now - begun) / 60_000)} minutes without a break. Time for a short one?`);
  }

  judge.own = {
    // A first judgment was given on this screen.
    judged() {
      add(1);
      if (goal && today() === goal) judge.notices.note(`You reached your daily goal of ${goal} judgments.`);
      if (breakMs) hintBreak();
    },
    takenBack: () => add(-1),
    // What the server counted; `unsent` judgments are not among it yet.
    replace(html, unsent) {
      place.innerHTML = html;
      add(unsent);
    },
  };
})();
