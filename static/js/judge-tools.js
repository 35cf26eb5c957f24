// Tools of a card: its form as fields, slider and number box, marks under the words of the query, full text.
(function () {
  "use strict";

  const judge = ((window.touchstone ??= {}).judge ??= {});
  const state = { marks: true, hit: -1 };

  // What a form says with the button that was pressed; null where something is missing, which is then shown.
  judge.fieldsOf = function (form, button) {
    const fields = Object.fromEntries(new FormData(form));
    const box = form.querySelector("[data-number]");
    if (button?.name === "reason") fields.grade = "";
    else if (box && (box.value.trim() === "" || !box.checkValidity())) {
      box.reportValidity();
      refuse(form, box.value.trim() === "" ? "Choose a grade first." : box.validationMessage);
      box.focus();
      return null;
    }
    if (button?.name) fields[button.name] = button.value;
    if (!fields.reason && judge.evidence && !judge.evidence.enough(form, fields.grade)) {
      refuse(form, "Mark the passage that decides, then choose this grade again.");
      return null;
    }
    if (fields.reason === "other" && !fields.comment?.trim() && !form.dataset.asked) return ask(form);
    delete form.dataset.asked;
    refuse(form, "");
    return fields;
  };

  // A reason that only a comment can tell is asked for once; the same button again leaves it open.
  function ask(form) {
    form.dataset.asked = "1";
    form.querySelector("[popover]")?.hidePopover?.();
    refuse(form, "Say the reason in the comment, then choose “Another reason” again. Without a comment it is saved, too.");
    const box = form.querySelector("textarea[name=comment]");
    box.closest("details").open = true;
    box.focus();
    return null;
  }

  function refuse(form, text) {
    const line = form.querySelector("[data-refusal]");
    line.textContent = text;
    line.hidden = !text;
  }

  // The answer that a card shows as given, to come back to it: {name, value} or null.
  judge.priorOf = function (card) {
    const pressed = card.querySelector("button[aria-pressed=true]");
    if (pressed) return { name: pressed.name, value: pressed.value };
    const value = card.querySelector("[data-number]")?.value;
    return value ? { name: "grade", value } : null;
  };

  // --- slider and number show one value; neither has one until the rater chooses -----------------------------

  function pair(element) {
    const form = element.closest?.(".grade-slider");
    return form && { slider: form.querySelector("[data-slider]"), box: form.querySelector("[data-number]") };
  }
  function drawn({ slider, box }) {
    const unset = box.value === "";
    slider.classList.toggle("unset", unset);
    slider.setAttribute("aria-valuetext", unset ? "no grade yet" : box.value);
    if (!unset) slider.value = box.value;
  }
  document.addEventListener("input", (event) => {
    const both = pair(event.target);
    if (!both) return;
    if (event.target === both.slider) both.box.value = String(rounded(Number(both.slider.value), both.slider));
    drawn(both);
  });

  // To whole steps, without the dust of binary fractions: 0.30000000000000004 is 0.3.
  function rounded(value, slider) {
    const step = Number(slider.dataset.stepSize);
    const least = Number(slider.min);
    const digits = (slider.dataset.stepSize.split(".")[1] ?? "").length;
    const steps = Math.round((value - least) / step);
    const near = Number((least + steps * step).toFixed(Math.min(digits + 2, 20)));
    return Math.min(Math.max(near, least), Number(slider.max));
  }
  function moved({ slider, box }, steps) {
    const step = Number(slider.dataset.stepSize);
    const from = box.value === "" ? (steps > 0 ? Number(slider.min) - step : Number(slider.max) + step) : Number(box.value);
    const digits = Math.max((box.value.split(".")[1] ?? "").length, (slider.dataset.stepSize.split(".")[1] ?? "").length);
    const to = Number((from + steps * step).toFixed(Math.min(digits, 20)));
    box.value = String(Math.min(Math.max(to, Number(slider.min)), Number(slider.max)));
    drawn({ slider, box });
  }
  const STEPS = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1, PageUp: 10, PageDown: -10 };
  document.addEventListener("keydown", (event) => {
    const both = pair(event.target);
    if (!both || event.ctrlKey || event.altKey || event.metaKey) return;
    const inBox = event.target === both.box;
    if (event.key === "Enter") {
      event.preventDefault();
      if (!event.repeat) event.target.form.querySelector("[data-submit]").click();
    } else if (event.key in STEPS && !(inBox && /Left|Right/.test(event.key))) {
      event.preventDefault();
      moved(both, STEPS[event.key]);
    } else if (!inBox && (event.key === "Home" || event.key === "End")) {
      event.preventDefault();
      both.box.value = event.key === "Home" ? both.slider.min : both.slider.max;
      drawn(both);
    }
  });
  judge.moveSlider = function (card, key) {
    const slider = card.querySelector("[data-slider]");
    if (!slider || !(key in STEPS) || /Left|Right/.test(key)) return false;
    slider.focus();
    moved({ slider, box: card.querySelector("[data-number]") }, STEPS[key]);
    return true;
  };

  // --- marks -------------------------------------------------------------------------------------------------

  function applyMarks(card) {
    card.querySelectorAll("[data-document] mark, [data-document] .mark-off").forEach((mark) => {
      const wanted = document.createElement(state.marks ? "mark" : "span");
      if (!state.marks) wanted.className = "mark-off";
      if (mark.localName === wanted.localName) return;
      wanted.append(...mark.childNodes);
      mark.replaceWith(wanted);
    });
  }
  judge.toggleMarks = function (card) {
    state.marks = !state.marks;
    applyMarks(card);
    judge.say(state.marks ? "Words of the query are marked." : "Words of the query are not marked.");
    return true;
  };
  // The next marked word that is in sight somewhere; those in closed folds are passed over.
  judge.nextHit = function (card, back) {
    const hits = [...card.querySelectorAll("[data-document] mark")].filter((mark) => mark.getClientRects().length);
    card.querySelector("mark.hit")?.classList.remove("hit");
    if (!hits.length) {
      judge.say("No word of the query is marked here.");
      return true;
    }
    state.hit = back ? state.hit - 1 : state.hit + 1;
    state.hit = (state.hit + hits.length) % hits.length;
    const hit = hits[state.hit];
    hit.classList.add("hit");
    hit.scrollIntoView({ block: "center", behavior: "instant" });
    judge.say(`${hit.textContent}, ${state.hit + 1} of ${hits.length}.`);
    return true;
  };

  // --- full text ---------------------------------------------------------------------------------------------

  judge.toggleFull = function (card) {
    const full = card.querySelector("[data-full]");
    if (full) full.open = !full.open;
    return Boolean(full);
  };
  // The rest of a very long text comes part by part into the fold; without a script it is a page of its own.
  document.addEventListener("click", async (event) => {
    const link = event.target instanceof Element && event.target.closest("[data-rest], .doc-rest a[rel], [data-full] .pages a");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const fold = link.closest("[data-full]");
    const url = new URL(link.getAttribute("href"), new URL(fold.dataset.address ?? link.href, location.href));
    fold.dataset.address = url.href;
    const response = await fetch(url, { headers: { "HX-Request": "true" } }).catch(() => null);
    if (!response?.ok) return judge.say("The text cannot be fetched at present.");
    const part = document.createElement("template");
    part.innerHTML = await response.text();
    part.content.querySelector(".doc-body").dataset.field = "body";
    fold.replaceChildren(fold.querySelector("summary"), part.content);
    if (!state.marks) applyMarks(fold.closest("[data-card], [data-row]"));
    fold.scrollIntoView({ block: "start" });
  });

  // What a card needs once it is on the page: what is of use with a script only, and what the rater set before.
  judge.prepare = function (card) {
    state.hit = -1;
    card.querySelectorAll("form").forEach((form) => (form.noValidate = true)); // the page says itself what is missing
    card.querySelectorAll("[data-slider]").forEach((slider) => {
      slider.hidden = false;
      drawn({ slider, box: slider.parentElement.querySelector("[data-number]") });
    });
    applyMarks(card);
    judge.drafts.restore(card);
    judge.evidence?.prepare(card);
    const full = card.querySelector("[data-full]");
    if (!full || full.dataset.watched) return;
    full.dataset.watched = "1";
    full.addEventListener("toggle", () => (card.querySelector("[data-excerpt]").hidden = full.open));
  };
})();
