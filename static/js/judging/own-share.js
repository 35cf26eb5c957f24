// The rater's own numbers in the footer: share of the list and today's count. The server counts; newer judgments are
// added here. Only raters who set them get a daily goal and a hint to take a break.
import { judgedAt } from "./breaks.js";
import { showNote } from "./notices.js";

const STRETCH = "touchstone.stretch"; // in sight of all pages of this tab

export class OwnShare {
  constructor(root) {
    this.place = root.querySelector("[data-own-share]");
    this.goal = Number(root.dataset.goal);
    this.breakMs = Number(root.dataset.breakMinutes) * 60_000;
  }

  // A first judgment was given on this screen.
  addJudgment() {
    this.#add(1);
    const today = numberIn(this.place.querySelector("[data-own=today]"));
    if (this.goal && today === this.goal) showNote(`You reached your daily goal of ${this.goal} judgments.`);
    if (this.breakMs) this.#hintAtBreak();
  }

  takeBack() {
    this.#add(-1);
  }

  // The server's counts, which don't include `unsent` judgments yet.
  replace(html, unsent) {
    this.place.innerHTML = html;
    this.#add(unsent);
  }

  // The server may have expected less of this rater than it becomes until the next reply.
  #add(count) {
    for (const one of this.place.querySelectorAll("[data-own]")) {
      if (one.localName === "progress") one.value += count;
      else one.textContent = Math.max(0, numberIn(one) + count).toLocaleString("en-US");
    }
    const judged = this.place.querySelector("span[data-own=judged]");
    const total = this.place.querySelector("[data-own-total]");
    if (total && numberIn(judged) > numberIn(total)) total.textContent = judged.textContent;
  }

  // Without storage there is no hint.
  #hintAtBreak() {
    try {
      const before = JSON.parse(sessionStorage.getItem(STRETCH)) ?? {};
      const { stretch, due } = judgedAt(Date.now(), before, this.breakMs);
      sessionStorage.setItem(STRETCH, JSON.stringify(stretch));
      if (due) showNote(`You have judged for ${due} minutes without a break. Time for a short one?`);
    } catch {
      // storage can be forbidden
    }
  }
}

function numberIn(element) {
  return Number((element?.textContent ?? "0").replaceAll(",", ""));
}
