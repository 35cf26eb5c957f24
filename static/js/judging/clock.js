// Time spent on a card: active while the tab is visible, up to a minute after the last input; wall time beside it.
const IDLE_MS = 60_000;

export class Clock {
  method = "click"; // how the answer is given: key, click or touch
  #shown = 0;
  #active = 0;
  #since = null; // since when the tab is visible, as far as that time is not counted yet
  #lastInput = 0;

  constructor({
    now = () => performance.now(),
    visible = () => document.visibilityState === "visible",
    byTouch = () => matchMedia("(pointer: coarse)").matches,
  } = {}) {
    Object.assign(this, { now, visible, byTouch });
  }

  // A card is shown.
  restart() {
    this.#shown = this.#lastInput = this.now();
    this.#active = 0;
    this.#since = this.visible() ? this.#shown : null;
    this.method = "click";
  }

  noteInput() {
    this.settle();
    this.#lastInput = this.now();
  }

  // Counts the time until now. To be called before the tab is hidden or shown counts.
  settle() {
    const now = this.now();
    if (this.#since !== null) this.#active += Math.max(0, Math.min(now, this.#lastInput + IDLE_MS) - this.#since);
    this.#since = this.visible() ? now : null;
  }

  // Facts that are stored with an answer; `Timing` in judgments/judging/actions/answers.py declares them.
  read() {
    this.settle();
    return {
      active_ms: Math.round(this.#active),
      wall_ms: Math.round(this.now() - this.#shown),
      method: this.method,
      device: this.byTouch() ? "touch" : "desktop",
    };
  }

  listen() {
    document.addEventListener("keydown", () => this.noteInput(), { capture: true });
    document.addEventListener("pointerdown", ({ pointerType }) => {
      this.noteInput();
      this.method = pointerType === "touch" || pointerType === "pen" ? "touch" : "click";
    });
    for (const kind of ["pointermove", "wheel", "scroll", "touchmove"]) {
      document.addEventListener(kind, () => this.noteInput(), { passive: true });
    }
    document.addEventListener("visibilitychange", () => this.settle());
  }
}
