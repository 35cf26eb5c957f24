// List mode: all documents of a query on one page. Arrows choose the row, a grade's key grades it and goes to the next one
// that has no grade. Each answer is kept, sent and acknowledged by itself, as on the other screen.
(function () {
  "use strict";

  const judge = window.touchstone.judge;
  const root = document.getElementById("judge");
  if (!root?.querySelector("[data-row]")) return;

  const { account, list, cards, undo, skip } = root.dataset;
  const rows = [...root.querySelectorAll("[data-row]")];
  const keys = JSON.parse(root.dataset.keys);
  const off = root.dataset.shortcuts === "off";
  const pairOf = (row) => Number(row.dataset.pair);
  const rowOf = (pair) => rows.find((row) => pairOf(row) === pair);
  const acts = []; // {key, row, entry, prior}, for undo
  const undone = []; // those taken back, for doing them again
  let current = null;

  judge.root = root;
  judge.say = (text) => (document.getElementById("judge-announce").textContent = text);
  judge.deck = { get current() { return current; } };
  judge.goTo = (pair) => (rowOf(pair) ? choose(rowOf(pair)) : location.assign(`${root.dataset.page}?pair=${pair}`));

  const entryOf = (entry) => sender.store.all().find((one) => one.key === entry.key);
  const sender = judge.makeSender({
    account,
    list,
    urls: { cards },
    // In list mode all cards are on the page: no further ones are wanted.
    have: () => ({ rows: "1", have: rows.map(pairOf).join(","), guidelines: root.dataset.guidelinesVersion }),
    onReply(content, entry) {
      if (content.own) judge.own.replace(content.own, sender.firstWaiting().length);
      if (content.guidelines) judge.notices.guidelines(content.guidelines);
      for (const note of content.notes ?? []) judge.notices.note(note);
      if (content.practice) judge.notices.practice(content.practice, () => {});
      if (!content.saved) return;
      const { practice, notes = [] } = content;
      const also = [practice && `${practice.title}. ${practice.text}`, ...notes].filter(Boolean);
      judge.say([`${content.saved.text}.`, ...also, `${open()} to judge.`].join(" "));
      if (entry?.kind === "undo") return onUndone(content.saved.pair);
      const row = rowOf(content.saved.pair);
      if (row && entry?.kind === "answer") row.querySelector("[data-row-state]").textContent = `saved ${sender.state.saved.at}`;
    },
    onState({ kind, detail, saved, count, durable }) {
      const line = root.querySelector("[data-save-state]");
      const kept = `${count} judgment${count === 1 ? "" : "s"} kept ${durable ? "on this device" : "in this tab only"}, will be sent`;
      line.textContent = { idle: "", saving: detail === "slow" ? `Still saving – ${kept}` : "Saving…", saved: saved ? `${saved.text} ${saved.at}` : "" }[kind] ?? `Not saved yet – ${kept}`;
      line.dataset.state = { idle: "", session: "error", account: "error", gone: "error" }[kind] ?? kind;
      root.dataset.state = kind;
      judge.notices.state(kind, detail, count, kept);
    },
    onConflict: (entry, content) => judge.notices.conflict(entryOf(entry), content),
    onRefused: (entry, content) => judge.notices.refused(entryOf(entry), content),
    onOtherTab: () => {},
  });
  judge.sender = sender;

  const waits = (row) => row.dataset.known === undefined && row.dataset.later === undefined;
  const open = () => rows.filter(waits).length;

  function choose(row, { scroll = true } = {}) {
    current?.classList.remove("is-current");
    current = row;
    row.classList.add("is-current");
    row.focus({ preventScroll: true });
    if (scroll) row.scrollIntoView({ block: "nearest", behavior: "instant" });
    judge.clock.restart();
    judge.clock.by("click");
  }

  function mark(row, answer) {
    for (const button of row.querySelectorAll("button[name=grade], button[name=reason]")) {
      button.setAttribute("aria-pressed", String(Boolean(answer) && button.name === answer.name && button.value === answer.value));
    }
    const box = row.querySelector("[data-number]");
    if (box) box.value = answer?.name === "grade" ? answer.value : "";
    row.querySelector("input[name=known]")?.remove();
    delete row.dataset.known;
    delete row.dataset.later;
    row.querySelector("[data-command=skip]").hidden = Boolean(answer);
    row.querySelector("[data-row-state]").textContent = "";
    if (answer) {
      row.dataset.known = "";
      const known = document.createElement("input");
      Object.assign(known, { type: "hidden", name: "known", value: "1" });
      row.querySelector("form").append(known);
      row.querySelector("[data-row-state]").textContent = "saving…";
    }
    count();
  }
  function count() {
    root.querySelector("[data-open]").textContent = String(open());
    root.querySelector("[data-next]").hidden = open() > 0;
  }

  // The row after this one that waits, from the top again after the last; none left: on to what comes next.
  function advance(row) {
    const at = rows.indexOf(row);
    const next = [...rows.slice(at + 1), ...rows.slice(0, at)].find(waits);
    if (next) choose(next);
    else root.querySelector("[data-next]").focus();
  }

  function putOff(row) {
    if (!row || !waits(row)) return;
    undone.length = 0;
    later(row, {
      kind: "skip", list, url: skip, name: "Later", pair: pairOf(row),
      fields: { pair: row.dataset.pair, put_off: row.querySelector("input[name=put_off]").value },
      title: row.querySelector(".doc-title")?.textContent.trim().slice(0, 80),
    });
  }
  function later(row, entry) {
    acts.push({ key: sender.add(entry), row, entry });
    row.dataset.later = "";
    row.querySelector("[data-row-state]").textContent = "later";
    count();
    advance(row);
    sender.drain();
  }

  function answer(row, button) {
    const form = row.querySelector("form");
    const fields = judge.fieldsOf(form, button);
    if (!fields) return;
    const prior = row.dataset.known === undefined ? null : judge.priorOf(row);
    Object.assign(fields, judge.clock.read(), { request_id: judge.uuid() });
    undone.length = 0;
    give(row, {
      kind: "answer", list, url: form.action, fields, pair: pairOf(row),
      name: button?.dataset.name ?? fields.grade,
      title: row.querySelector(".doc-title")?.textContent.trim().slice(0, 80),
    }, prior);
  }
  function give(row, entry, prior) {
    const { fields } = entry;
    acts.push({ key: sender.add(entry), row, entry, prior });
    judge.drafts.drop(entry.pair);
    if (!prior) judge.own.judged();
    mark(row, fields.reason ? { name: "reason", value: fields.reason } : { name: "grade", value: fields.grade });
    advance(row);
    sender.drain();
  }

  function takeBack() {
    const act = acts.pop();
    if (!act || !sender.recall(act.key)) {
      sender.add({ kind: "undo", list, url: undo, fields: judge.undoFields(act?.entry), name: "Undo" });
    }
    if (!act) undone.length = 0;
    else {
      undone.push(act);
      mark(act.row, act.prior);
      if (act.entry.kind === "answer" && !act.prior) judge.own.takenBack();
      if (act.entry.kind === "skip") act.row.querySelector("input[name=put_off]").value = "";
      choose(act.row);
    }
    sender.drain();
  }
  function redo() {
    const act = undone.pop();
    if (!act) return judge.say("There is nothing to do again.");
    const { row, entry, prior } = act;
    if (entry.kind === "skip") later(row, { ...entry, fields: { ...entry.fields, put_off: "" } });
    else give(row, { ...entry, fields: { ...entry.fields, request_id: judge.uuid() } }, prior);
  }
  function onUndone(pair) {
    if (pair && !rowOf(pair)) location.assign(`${root.dataset.page}?pair=${pair}`);
  }

  const byKey = Object.fromEntries(Object.entries(keys).map(([name, key]) => [key, name]));
  byKey.backspace = "undo";
  const TYPING = "input:not([type=range]):not([type=hidden]):not([type=radio]), textarea, select";

  document.addEventListener("keydown", (event) => {
    const target = event.target instanceof Element ? event.target : null;
    if (event.key === "Escape" && target?.matches("textarea")) target.blur();
    if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing || event.repeat || judge.dialogs.open()) return;
    if (target?.closest(TYPING)) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      if (target?.matches("input")) return;
      const at = rows.indexOf(current) + (event.key === "ArrowDown" ? 1 : -1);
      if (rows[at]) choose(rows[at]);
      event.preventDefault();
      return;
    }
    if (event.key === "Enter" && !target?.closest("a, button, summary, input")) {
      if (!judge.notices.tryAgain() && open() === 0) root.querySelector("[data-next]").click();
      return;
    }
    if (off) return;
    const key = event.key.toLowerCase();
    const button = current && /^[0-9a-z]$/.test(key) && current.querySelector(`[data-key="${CSS.escape(key)}"]`);
    const commands = {
      undo: () => (event.shiftKey ? redo() : takeBack()),
      skip: () => putOff(current),
      evidence: () => judge.evidence.choose(current),
      marks: () => judge.toggleMarks(root),
      full: () => current && judge.toggleFull(current),
      comment() {
        const fold = current?.querySelector("[data-cannot]");
        if (!fold) return;
        fold.open = true;
        fold.querySelector("textarea").focus();
      },
      cannot() {
        const fold = current?.querySelector("[data-cannot]");
        if (!fold) return;
        fold.open = true;
        fold.querySelector("button").focus();
      },
      guidelines: () => document.getElementById("guidelines")?.toggleAttribute("open"),
    };
    if (button) {
      judge.clock.by("key");
      button.click();
    } else if (key === "?") judge.dialogs.help();
    else if (commands[byKey[key]]) commands[byKey[key]]();
    else return;
    event.preventDefault();
  });
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.matches("[data-undo-form]")) {
      event.preventDefault();
      takeBack();
    } else if (form.matches("[data-answer]")) {
      event.preventDefault();
      const row = form.closest("[data-row]");
      if (event.submitter?.dataset.command === "skip") putOff(row);
      else answer(row, event.submitter);
    }
  });
  document.addEventListener("click", (event) => {
    if (!(event.target instanceof Element)) return;
    if (event.target.closest("[data-command=help]")) judge.dialogs.help();
    const row = event.target.closest("[data-row]");
    if (event.target.closest("[data-command=evidence]")) judge.evidence.choose(row);
    if (row && row !== current && !event.target.closest("button, a, summary, input, textarea, label")) choose(row);
  });

  for (const row of rows) judge.prepare(row);
  for (const hidden of root.querySelectorAll("[data-command=help]")) hidden.hidden = false;
  judge.clock.restart();
  const first = rows.find(waits) ?? rows[0];
  choose(first, { scroll: first !== rows[0] });
  sender.refresh();
})();
