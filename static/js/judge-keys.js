// One listener and one table for all keys. Grades' keys stand on their buttons, as the scale says; the keys of commands
// are the rater's own. Nothing happens while typing, with Ctrl, Alt or Meta, while a key is held, during composition,
// or in a dialog.
(function () {
  "use strict";

  const judge = ((window.touchstone ??= {}).judge ??= {});
  const NOT_GRADES = "input:not([type=range]):not([type=hidden]):not([type=radio]), textarea, select, [contenteditable]";

  judge.start = function () {
    const { root, find } = judge;
    const keys = JSON.parse(root.dataset.keys);
    const off = root.dataset.shortcuts === "off";
    const commands = {
      undo: (event) => void (event.shiftKey ? judge.redo() : judge.takeBack()),
      skip: () => judge.putOff(),
      cannot: reasons,
      comment: () => write("[data-comment]"),
      evidence: () => judge.evidence?.choose() ?? false,
      full: () => judge.toggleFull(judge.deck.current),
      marks: () => judge.toggleMarks(judge.deck.current),
      hit: (event) => judge.nextHit(judge.deck.current, event.shiftKey),
      guidelines,
      review: () => void judge.review(),
    };
    const byKey = Object.fromEntries(Object.entries(keys).map(([name, key]) => [key, name]));
    byKey.backspace = "undo";
    function reasons() {
      const dialog = find("#judge-reasons");
      if (!dialog) return false;
      dialog.togglePopover();
      find("#judge-reasons:popover-open button")?.focus();
      return true;
    }
    // Opens and enters, but never closes: what is typed next must not be taken for commands.
    function write(selector) {
      const fold = find(selector);
      if (!fold) return false;
      fold.open = true;
      fold.querySelector("textarea").focus();
      return true;
    }
    function guidelines() {
      const fold = document.getElementById("guidelines");
      if (!fold) return false;
      fold.open = !fold.open;
      delete fold.dataset.opened;
      fold.querySelector("summary").focus();
      return true;
    }

    function press(selector) {
      const button = find(selector);
      if (!button) return false;
      judge.clock.by("key");
      button.click();
      judge.clock.by("click");
      return true;
    }

    // A key right after a change of query was meant for the document before: the sign of the new one flashes.
    function guarded() {
      if (!judge.guarded()) return false;
      find("[data-query-new]")?.classList.add("pressed-early");
      return true;
    }

    function sure(event) {
      const digit = event.shiftKey && /^(?:Digit|Numpad)([1-3])$/.exec(event.code)?.[1];
      const choice = digit && !/^\d$/.test(event.key) && find(`[name=confidence][value="${digit}"]`);
      if (choice) choice.checked = true;
      return Boolean(choice);
    }

    function command(event, key) {
      if (find("#judge-reasons:popover-open")) {
        if (/^\d$/.test(key)) return guarded() || press(`[data-reason-key="${key}"]`);
        return byKey[key] === "cannot" && reasons();
      }
      if (event.key === "ArrowLeft") return judge.walkBack() !== false;
      if (event.key === "ArrowRight") return judge.walkOn() !== false;
      if (judge.moveSlider(judge.deck.current, event.key)) return true;
      if (sure(event)) return true;
      const box = find("[data-number]");
      if (box && /^[0-9.,-]$/.test(key)) {
        box.focus();
        box.select();
        return false; // the figure itself then goes into the box
      }
      const grade = `[data-key="${CSS.escape(key)}"]`;
      if (/^[0-9a-z]$/.test(key) && find(grade)) return guarded() || press(grade);
      if (key === "?") return judge.dialogs.help();
      const name = byKey[key];
      if (!name) return false;
      return (name === "skip" && guarded()) || commands[name](event) !== false;
    }

    function ignored(event) {
      return (
        event.ctrlKey || event.altKey || event.metaKey || event.isComposing || judge.dialogs.open() ||
        (event.target instanceof Element && event.target.closest(NOT_GRADES) !== null)
      );
    }

    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && event.target instanceof HTMLTextAreaElement) event.target.blur();
      if (event.defaultPrevented || ignored(event)) return;
      const inControl = event.target instanceof Element && event.target.closest("a, button, summary, input");
      if (event.key === "Enter" && !inControl && !event.repeat) {
        if (judge.notices.tryAgain()) event.preventDefault();
        return;
      }
      if (off && !/^Arrow(Left|Right)$/.test(event.key)) return;
      if (event.target instanceof HTMLInputElement && event.key.startsWith("Arrow")) return; // radio buttons, the slider
      const key = event.key.toLowerCase();
      if (event.repeat) {
        if (key in byKey || find(`[data-key="${CSS.escape(key)}"]`)) event.preventDefault();
        return;
      }
      if (command(event, key)) event.preventDefault();
    });

    document.addEventListener("click", (event) => {
      const button = event.target instanceof Element && event.target.closest("[data-command]");
      if (!button) return;
      const name = button.dataset.command;
      if (name === "help") judge.dialogs.help();
      else if (name === "evidence") judge.evidence.choose();
      else if (name === "redo") judge.redo();
      else if (name === "earlier" || name === "later") {
        event.preventDefault();
        if (name === "earlier") judge.walkBack();
        else judge.walkOn();
      }
    });
    document.addEventListener("submit", (event) => {
      const form = event.target;
      const button = event.submitter;
      if (form.matches("[data-undo-form]")) {
        event.preventDefault();
        judge.takeBack();
      } else if (form.matches("[data-answer]")) {
        event.preventDefault();
        if (button?.dataset.command === "skip") judge.putOff();
        else judge.answer(form, button);
      }
    });
    for (const hidden of root.querySelectorAll("[data-command=help]")) hidden.hidden = false;
  };
})();
