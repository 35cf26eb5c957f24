// Time spent on a card: active while the tab is visible, up to a minute after the last input; wall time beside it.
(function () {
  "use strict";

  const IDLE_MS = 60_000;
  const clock = { shown: 0, active: 0, since: null, lastInput: 0, method: "click" };

  function settle(now) {
    if (clock.since !== null) clock.active += Math.max(0, Math.min(now, clock.lastInput + IDLE_MS) - clock.since);
    clock.since = document.visibilityState === "visible" ? now : null;
  }
  function noteInput() {
    const now = performance.now();
    settle(now);
    clock.lastInput = now;
  }
  function restart() {
    const now = performance.now();
    Object.assign(clock, { shown: now, active: 0, lastInput: now });
    clock.since = document.visibilityState === "visible" ? now : null;
  }
  function read() {
    const now = performance.now();
    settle(now);
    return {
      active_ms: Math.round(clock.active),
      wall_ms: Math.round(now - clock.shown),
      method: clock.method,
      device: matchMedia("(pointer: coarse)").matches ? "touch" : "desktop",
    };
  }

  document.addEventListener("keydown", noteInput, { capture: true });
  document.addEventListener("pointerdown", (event) => {
    noteInput();
    clock.method = event.pointerType === "touch" || event.pointerType === "pen" ? "touch" : "click";
  });
  for (const kind of ["pointermove", "wheel", "scroll", "touchmove"]) {
    document.addEventListener(kind, noteInput, { passive: true });
  }
  document.addEventListener("visibilitychange", () => settle(performance.now()));

  const judge = ((window.touchstone ??= {}).judge ??= {});
  judge.clock = { restart, read, by: (method) => (clock.method = method) };
})();
