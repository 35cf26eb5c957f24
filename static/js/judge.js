// The rating screen: keys, time spent, announcements, and what happens when saving fails. All of it is an addition:
// the page works by plain forms. The server swaps #judge; nothing here keeps a reference to a node inside it.
(function () {
  "use strict";

  const GUARD_MS = 600; // after a change of query, so that a key meant for the last document hits no new one
  const IDLE_MS = 60_000; // longer without input does not count as work
  const NOT_GRADES = "input:not([type=range]):not([type=hidden]), textarea, select, [contenteditable]";

  const screen = () => document.getElementById("judge");
  const find = (selector) => screen()?.querySelector(selector);
  const state = { query: null, guardUntil: 0, method: "click", pending: false, marks: true };

  // --- time -------------------------------------------------------------------------------------------------

  const clock = { shown: 0, active: 0, since: null, lastInput: 0 };

  function settle(now) {
    if (clock.since !== null) clock.active += Math.max(0, Math.min(now, clock.lastInput + IDLE_MS) - clock.since);
    clock.since = document.visibilityState === "visible" ? now : null;
  }
  function noteInput() {
    const now = performance.now();
    settle(now);
    clock.lastInput = now;
  }
  function restartClock() {
    const now = performance.now();
    Object.assign(clock, { shown: now, active: 0, lastInput: now });
    clock.since = document.visibilityState === "visible" ? now : null;
  }
  function timing() {
    const now = performance.now();
    settle(now);
    const coarse = matchMedia("(pointer: coarse)").matches;
    return {
      active_ms: Math.round(clock.active),
      wall_ms: Math.round(now - clock.shown),
      method: state.method,
      device: coarse ? "touch" : "desktop",
    };
  }

  // --- commands ---------------------------------------------------------------------------------------------

  const press = (selector) => {
    const button = find(selector);
    if (button && !button.disabled) button.click();
    return Boolean(button);
  };
  const unfold = (selector) => {
    const fold = find(selector);
    if (!fold) return false;
    fold.open = !fold.open;
    if (fold.open) fold.querySelector("summary").focus();
    return true;
  };
  // Opens and enters, but never closes: what is typed next must not be taken for commands.
  const write = (selector) => {
    const fold = find(selector);
    if (!fold) return false;
    fold.open = true;
    fold.querySelector("textarea").focus();
    return true;
  };
  // Guidelines and information need stay as the rater left them; until then the server decides.
  const folds = {};
  const keepFold = (fold, open = fold.open) => {
    folds[fold.id] = open;
    return true;
  };
  document.addEventListener("click", (event) => {
    const fold = event.target instanceof Element && event.target.closest("#guidelines > summary, #need > summary");
    if (fold) keepFold(fold.parentElement, !fold.parentElement.open);
  });
  const showHelp = () => {
    document.getElementById("judge-help")?.showModal();
    return true;
  };
  const toggleMarks = () => {
    state.marks = !state.marks;
    applyMarks();
    announce(state.marks ? "Words of the query are marked." : "Words of the query are not marked.");
    return true;
  };
  const toggleFull = () => {
    const full = find("[data-full]");
    if (full) full.open = !full.open;
    return Boolean(full);
  };

  // Needs no table of its own for grades: their keys stand on the buttons, as the scale says.
  const COMMANDS = {
    u: () => press("[data-command=undo]"),
    backspace: () => press("[data-command=undo]"),
    s: () => press("[data-command=skip]"),
    x: () => {
      find("#judge-reasons")?.togglePopover();
      find("#judge-reasons:popover-open button")?.focus();
      return true;
    },
    c: () => write("[data-comment]"),
    f: toggleFull,
    t: toggleMarks,
    g: () => unfold("#guidelines") && keepFold(find("#guidelines")),
    "?": showHelp,
  };

  function command(key) {
    if (find("#judge-reasons:popover-open")) {
      if (/^\d$/.test(key)) return press(`[data-reason-key="${key}"]`);
      return key === "x" && COMMANDS.x();
    }
    const number = find("[data-number]");
    if (number && /^[0-9.,-]$/.test(key)) {
      number.focus(); // the figure itself then goes into the box
      return false;
    }
    if (/^[0-9a-z]$/.test(key) && press(`[data-key="${key}"]`)) return true;
    return COMMANDS[key]?.() ?? false;
  }

  function ignored(event) {
    return (
      event.ctrlKey || event.altKey || event.metaKey || event.repeat || event.isComposing ||
      document.querySelector("dialog[open]") !== null ||
      (event.target instanceof Element && event.target.closest(NOT_GRADES) !== null)
    );
  }

  document.addEventListener("keydown", (event) => {
    noteInput();
    if (!screen()) return;
    if (event.key === "Escape" && event.target instanceof HTMLTextAreaElement) event.target.blur();
    if (ignored(event)) return;
    const key = event.key.toLowerCase();
    if (screen().dataset.shortcuts === "off") return;
    if (state.pending || performance.now() < state.guardUntil) {
      if (key in COMMANDS || find(`[data-key="${CSS.escape(key)}"]`)) event.preventDefault();
      return;
    }
    state.method = "key";
    if (command(key)) event.preventDefault();
    else state.method = "click";
  });

  document.addEventListener("pointerdown", (event) => {
    noteInput();
    state.method = event.pointerType === "touch" || event.pointerType === "pen" ? "touch" : "click";
  });
  for (const kind of ["pointermove", "wheel", "scroll", "touchmove"]) {
    document.addEventListener(kind, noteInput, { passive: true });
  }
  document.addEventListener("visibilitychange", () => settle(performance.now()));

  document.addEventListener("click", (event) => {
    if (event.target instanceof Element && event.target.closest("[data-command=help]")) showHelp();
  });

  // --- slider and number show one value; neither has one until the rater chooses -----------------------------

  document.addEventListener("input", (event) => {
    const slider = find("[data-slider]");
    const number = find("[data-number]");
    if (!slider || !number) return;
    if (event.target === slider) number.value = slider.value;
    if (event.target === number && number.value !== "") slider.value = number.value;
    if (event.target === slider || event.target === number) slider.classList.toggle("unset", number.value === "");
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target === find("[data-slider]")) press("[data-submit]");
  });

  // --- sending and what comes back --------------------------------------------------------------------------

  document.addEventListener("htmx:configRequest", (event) => {
    if (!event.target.closest?.("#judge")) return;
    Object.assign(event.detail.parameters, timing());
  });
  document.addEventListener("htmx:beforeRequest", (event) => {
    if (!event.target.closest?.("#judge")) return;
    state.pending = true;
    saveState("saving", "Saving…");
  });
  document.addEventListener("htmx:sendAbort", () => (state.pending = false));

  document.addEventListener("htmx:responseError", (event) => {
    if (event.detail.xhr.status === 401) {
      failed("Not saved: your session has ended. Sign in again – your answer is still here.");
      document.getElementById("judge-session")?.showModal();
    } else {
      failed(`Not saved – try again. The server answered ${event.detail.xhr.status}.`);
    }
  });
  // A card that came is welcomed below, and only then keys work again: before, its buttons send plain forms.
  for (const kind of ["htmx:sendError", "htmx:timeout"]) {
    document.addEventListener(kind, () => failed("Not saved – try again. The server cannot be reached."));
  }

  function failed(text) {
    state.pending = false;
    saveState("error", "Not saved – try again");
    const box = find("[data-failure]");
    if (!box) return;
    box.textContent = text;
    box.hidden = false;
  }

  function saveState(kind, text) {
    const line = find("[data-save-state]");
    if (!line) return;
    line.dataset.state = kind;
    line.textContent = text;
  }

  // --- a new card -------------------------------------------------------------------------------------------

  function announce(text) {
    const line = document.getElementById("judge-announce");
    if (line) line.textContent = text;
  }

  function applyMarks() {
    screen()?.querySelectorAll("[data-document] mark, [data-document] .mark-off").forEach((mark) => {
      const wanted = document.createElement(state.marks ? "mark" : "span");
      if (!state.marks) wanted.className = "mark-off";
      if (mark.localName === wanted.localName) return;
      wanted.append(...mark.childNodes);
      mark.replaceWith(wanted);
    });
  }

  function welcome(first) {
    screen().dataset.welcomed = "";
    const { query, queryPlace, place, saved, problem } = screen().dataset;
    const another = query !== undefined && state.query !== null && query !== state.query;
    state.query = query ?? state.query;
    state.pending = false;
    for (const hidden of screen().querySelectorAll("[data-command=help], [data-slider]")) hidden.hidden = false;
    const number = find("[data-number]");
    if (number && number.value !== "") {
      find("[data-slider]").value = number.value;
      find("[data-slider]").classList.remove("unset");
    }
    find("[data-full]")?.addEventListener("toggle", (event) => {
      find("[data-excerpt]").hidden = event.target.open;
    });
    for (const [id, open] of Object.entries(folds)) {
      const fold = find(`#${id}`);
      if (fold) fold.open = open;
    }
    applyMarks();
    restartClock();
    if (first) return;
    if (another) {
      state.guardUntil = performance.now() + GUARD_MS;
      const sign = find("[data-query-new]");
      if (sign) sign.hidden = false;
    }
    window.scrollTo({ top: 0 });
    const bar = find(".query-bar");
    if (bar) bar.focus({ preventScroll: true });
    else document.getElementById("main").focus({ preventScroll: true });
    const parts = [problem && `Not saved. ${problem}`, saved && `${saved.replace(/ \d\d:\d\d:\d\d$/, "")}.`, another && `New query. ${queryPlace}.`];
    announce([...parts, place && `${place}.`].filter(Boolean).join(" "));
  }

  // Fires once for each part that settles; a card is welcomed once.
  document.addEventListener("htmx:afterSettle", () => {
    if (screen() && !("welcomed" in screen().dataset)) welcome(false);
  });
  if (screen()) welcome(true);
})();
