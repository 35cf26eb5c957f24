// The rating screen: from key to next card nothing waits for the network. An answer goes into the store, the next card
// is shown, and only then the answer is sent. All of it is an addition: the page works by plain forms.
(function () {
  "use strict";

  const GUARD_MS = 600; // after a change of query, so that a key meant for the last document hits no new one
  const DOUBLE_MS = 500; // the second click of a double click
  const SKELETON_MS = 150;
  const SPEECH_MS = 1500;

  const judge = window.touchstone.judge;
  const root = document.getElementById("judge");
  if (!root || judge.list) return;

  const byId = (id) => document.getElementById(id);
  const { account, list, page, cards, undo, skip } = root.dataset;
  const AHEAD = Number(root.dataset.ahead); // so many cards are kept, as far as there are
  const LOW = Math.max(AHEAD - 5, 4); // and with so many left further ones are asked for
  const deck = judge.makeDeck(root);
  const tally = { query: deck.current?.dataset.query, number: deck.current?.dataset.queryNumber, judged: 0, put: 0 };
  const view = { query: deck.current?.dataset.query, guardUntil: 0, shownAt: 0, words: "", speech: null, waiting: false, skipped: "", clicks: 0, failed: null };
  const find = (selector) => deck.current?.querySelector(selector);

  const sender = judge.makeSender({
    account,
    list,
    urls: { cards },
    have: (entry) => ({
      have: [...deck.have(), ...unsentPairs()].join(","),
      ahead: AHEAD,
      guidelines: root.dataset.guidelinesVersion,
      ...(wantsNone(entry) && { enough: "1" }),
      ...(view.skipped && { skipped: "1" }),
    }),
    onReply,
    onState,
    onFailed,
    onConflict: (entry, content) => judge.notices.conflict(sender.store.all().find((one) => one.key === entry.key), content),
    onRefused: (entry, content) => judge.notices.refused(sender.store.all().find((one) => one.key === entry.key), content),
    onOtherTab,
  });

  const { fetchCard, goTo, walkBack, walkOn, showWalk, review } = judge.makeWalk({
    root, page, deck, say, show, advance, finished: () => view.done,
    unsent: (query) => mine().filter((entry) => entry.kind === "answer" && entry.query === query).length,
  });
  const offline = (judge.offline = judge.makeOffline({
    root, deck, acted: () => mine().filter((entry) => entry.kind !== "undo").map((entry) => entry.pair),
  }));
  const mine = () => sender.store.all().filter((entry) => entry.list === list);
  const undoing = judge.makeUndo({
    list, undo, root, deck, tally, view, sender, mine, say, sayWith, show, showStep, goTo, guard, advance, move, give, later,
  });
  const enough = () => deck.have().length > LOW;
  // An answer brings cards along where few are left.
  const wantsNone = (entry) => entry?.kind === "answer" && !entry.practice && enough();
  const unsentPairs = () => mine().filter((entry) => entry.kind === "answer").map((entry) => entry.pair);

  // --- what is said ------------------------------------------------------------------------------------------

  function say(text) {
    byId("judge-announce").textContent = text;
  }
  // The card is announced together with what became of the last answer, or alone when that takes long.
  function sayCard(text) {
    clearTimeout(view.speech);
    view.words = text;
    view.speech = setTimeout(() => sayWith(""), SPEECH_MS);
  }
  // What comes right after it says the card again, since it takes the place of what was being read out.
  function sayWith(before) {
    clearTimeout(view.speech);
    if (view.words) view.read = { words: view.words, until: performance.now() + SPEECH_MS };
    const text = [before, performance.now() < view.read?.until ? view.read.words : ""].filter(Boolean).join(" ");
    view.words = "";
    if (text) say(text);
  }

  function onState({ kind, detail, saved, count, durable }) {
    if (kind === "offline") {
      const left = deck.next.length + (deck.pair() !== null && !deck.isJudged() ? 1 : 0);
      detail = left ? `${left} document${left === 1 ? " is" : "s are"} here to go on with.` : "No further document is here.";
    }
    const line = root.querySelector("[data-save-state]");
    const judgments = `${count} judgment${count === 1 ? "" : "s"}`;
    const here = `${judgments} kept ${durable ? "on this device" : "in this tab only"}`;
    const kept = `${here}, will be sent`;
    const texts = {
      idle: "",
      saving: detail === "slow" ? `Still saving – ${here}` : "Saving…",
      saved: saved ? `${saved.text} ${saved.at}` : "",
      offline: count ? `Offline – ${kept}` : "Offline",
      session: count ? `Signed out – ${kept}` : "Signed out",
      account: `Another account – ${here}`,
      error: count ? `Not saved – ${kept}` : "The server does not answer",
      gone: "This list is not open to you any more",
    };
    line.textContent = texts[kind];
    line.dataset.state = { idle: "", session: "error", account: "error", gone: "error" }[kind] ?? kind;
    root.dataset.state = kind;
    sayWaiting();
    judge.notices.state(kind, detail, count, kept);
    if (kind !== "saving" && kind !== "saved" && kind !== "idle" && texts[kind]) sayWith(`${texts[kind]}.`);
  }

  // --- cards -------------------------------------------------------------------------------------------------

  function showStep() {
    const step = find("[data-step]");
    if (!step) return;
    const { queryPlace, documents, nth } = deck.current.dataset;
    step.textContent = `${queryPlace} · ${deck.isJudged() ? "judged before" : `document ${nth} of ${documents}`}`;
    const field = find("input[name=place]");
    if (field) field.value = nth;
  }

  function show(card) {
    const { query, queryPlace, nth, documents } = card.dataset;
    const changed = view.query !== undefined && query !== view.query;
    view.query = query;
    deck.show(card);
    view.waiting = false;
    root.classList.remove("is-waiting");
    delete card.dataset.answered;
    judge.prepare(card);
    showStep();
    const sign = find("[data-query-new]");
    if (sign) sign.hidden = !changed;
    view.shownAt = performance.now();
    if (changed) view.guardUntil = view.shownAt + GUARD_MS;
    judge.clock.restart();
    judge.clock.by("click");
    showWalk();
    window.scrollTo({ top: 0 });
    find(".query-bar")?.focus({ preventScroll: true });
    const news = changed ? `New query. ${queryPlace}: ${find("[data-query-text]").textContent}. ` : "";
    const practice = card.dataset.practice === undefined ? "" : "Practice. ";
    const place = deck.isJudged() ? `You judged this: ${judge.givenName(card)}` : `Document ${nth} of ${documents}`;
    sayCard(`${news}${practice}${place}.`);
  }

  function summarize(card) {
    const { query, number, judged, put } = tally;
    Object.assign(tally, { query: card.dataset.query, number: card.dataset.queryNumber, judged: 0, put: 0 });
    if (!(judged + put)) return;
    view.done = query;
    judge.notices.queryDone(number, judged, put);
  }

  // The next card that waits; else what the server said of there being none; else one waits for its answer.
  function advance() {
    const card = deck.next[0];
    if (card) {
      show(card);
      if (card.dataset.query !== tally.query) summarize(card);
      return;
    }
    if (deck.nothing && !sender.waiting().length) return showNothing();
    view.waiting = true;
    setTimeout(() => view.waiting && root.classList.add("is-waiting"), SKELETON_MS);
    showWaiting();
  }

  function showWaiting() {
    const panel = document.createElement("div");
    panel.className = "judge-card judge-waiting";
    panel.dataset.card = "";
    panel.innerHTML =
      '<div class="query-bar" tabindex="-1"><p class="query-text">&nbsp;</p></div><div class="judge-document"><div data-place="guidelines"></div>' +
      '<p class="waiting-words" data-waiting></p></div><div class="grade-panel"><div data-place="notices"></div></div>';
    deck.show(panel);
    sayWaiting();
    panel.querySelector(".query-bar").focus({ preventScroll: true });
  }
  function sayWaiting() {
    const words = find("[data-waiting]");
    if (!words) return;
    words.textContent = navigator.onLine && root.dataset.state !== "offline"
      ? "Fetching the next document…"
      : "No further documents are on this device. They come when the connection is back; what you judged is kept.";
  }

  function showNothing() {
    const panel = judge.parseCard(deck.nothing);
    deck.show(panel);
    view.waiting = false;
    root.classList.remove("is-waiting");
    showWalk();
    panel.querySelector(".query-bar").focus({ preventScroll: true });
    sayCard(`${panel.querySelector(".empty h2")?.textContent ?? ""}.`);
  }

  function onReply(content, entry) {
    const open = mine().filter((one) => one.kind !== "undo").map((one) => one.pair);
    if (entry?.list !== undefined && entry.list !== list) return sender.refresh();
    const stood = deck.pair();
    if (content.held) {
      deck.take(content, open, mine().filter((one) => one.kind === "undo").map((one) => one.pair));
      if (content.cards.length && deck.have().length < AHEAD && !sender.waiting().length) sender.refresh(); // further ones, a few at a time
    }
    if (content.own) judge.own.replace(content.own, sender.firstWaiting().length);
    if (content.guidelines) judge.notices.guidelines(content.guidelines);
    for (const note of content.notes ?? []) judge.notices.note(note);
    offline.keep();
    judge.notices.reason(content.reason === "paused" && stood !== null && !deck.isJudged() && !view.waiting ? content.nothing : "");
    if (entry?.kind === "undo") return undoing.undone(content, entry);
    if (content.practice) showRight(content);
    else if (entry && entry.key === view.failed) goOn(entry);
    else if (view.waiting && content.held) advance();
    else {
      showStep();
      noticeLost(content);
    }
    if (!content.saved) return;
    const { practice, notes = [] } = content;
    sayWith([`${content.saved.text}.`, practice && `${practice.title}. ${practice.text}`, ...notes].filter(Boolean).join(" "));
  }

  // The server failed at an answer: its card comes back with the choice kept, unless the rater is further on by now.
  function onFailed(entry) {
    const newest = undoing.isLast(entry.key);
    const typing = document.activeElement?.closest("textarea, dialog") || find("[data-number]")?.value;
    if (!newest || entry.failed.times > 1 || entry.kind !== "answer" || typing || judge.dialogs.open()) return;
    view.failed = entry.key;
    goTo(entry.pair, entry.fields.card).then(guard);
  }
  function goOn(entry) {
    view.failed = null;
    if (deck.pair() !== entry.pair || document.activeElement?.closest("textarea, dialog")) return showStep();
    advance();
    guard();
  }
  // What the screen changes by itself must not take a key that was meant for what stood there before.
  function guard() {
    view.guardUntil = performance.now() + GUARD_MS;
  }

  // In practice the right answer is shown beside the document, before the next one.
  function showRight({ practice, saved }) {
    if (saved?.pair !== deck.pair()) return;
    judge.notices.practice(practice, () => advance());
  }

  // Somebody else may have taken the document over while nobody looked. Judging it still counts. Asked by the heartbeat.
  function noticeLost({ kept, judged = [] }) {
    const card = deck.current;
    if (!kept || !card?.dataset.pair || deck.isJudged() || card.dataset.answered) return;
    if (judged.includes(deck.pair())) showJudged(card);
    else if (kept.includes(deck.pair())) card.dataset.held = "1";
    else if (card.dataset.held === "1") {
      card.dataset.held = "";
      judge.notices.note("You were away, and somebody else has taken this document over. Your judgment counts too.");
    }
  }

  // Judged on another device meanwhile: the card comes with that answer, so that another choice changes it.
  async function showJudged(old) {
    const card = await fetchCard(old.dataset.pair, judge.idOf(old));
    if (!card || deck.current !== old || old.dataset.answered) return;
    old.dataset.answered = "1";
    deck.append(card);
    show(card);
    guard();
    judge.notices.otherTab({ name: judge.givenName(card) });
  }

  function onOtherTab(event) {
    const entry = event.newValue ? JSON.parse(event.newValue) : null;
    if (entry?.kind === "answer" && entry.list === list) {
      deck.next = deck.next.filter((card) => card.dataset.pair !== String(entry.pair));
      if (entry.pair !== deck.pair() || deck.isJudged()) return;
      judge.markAnswer(deck.current, givenIn(entry.fields));
      deck.append(deck.current);
      showStep();
      judge.notices.otherTab(entry);
    } else if (!event.newValue) sender.refresh();
  }

  // --- acts --------------------------------------------------------------------------------------------------

  const givenIn = (fields) =>
    fields.reason ? { name: "reason", value: fields.reason } : { name: "grade", value: fields.grade };

  function answer(form, button) {
    const card = deck.current;
    if (!card.contains(form) || card.dataset.answered) return;
    if (view.clicks > 1 && performance.now() - view.shownAt < DOUBLE_MS) return;
    const fields = judge.fieldsOf(form, button);
    if (!fields) return;
    const prior = undoing.supersede(deck.pair()) ?? (deck.isJudged() ? judge.priorOf(card) : null);
    Object.assign(fields, judge.clock.read(), { request_id: judge.uuid() });
    byId("judge-reasons")?.hidePopover?.();
    const name = button?.dataset.name ?? fields.grade;
    undoing.forget();
    give(card, {
      kind: "answer", list, url: form.action, fields, name,
      pair: deck.pair(), title: find(".doc-title")?.textContent.trim().slice(0, 80),
      query: card.dataset.query, ...(card.dataset.practice !== undefined && { practice: true }),
    }, prior);
  }

  function give(card, entry, prior) {
    card.dataset.answered = "1";
    const key = sender.add(entry);
    undoing.record({ key, card, entry, prior: prior?.none ? null : prior });
    judge.notices.clear();
    judge.drafts.drop(entry.pair);
    if (!prior) tally.judged += 1;
    if (!prior && !entry.practice) judge.own.judged();
    if (prior) deck.keep(card);
    else deck.append(card);
    judge.markAnswer(card, givenIn(entry.fields));
    deck.foldGuidelines();
    if (card.dataset.practice !== undefined) move(() => {});
    else move(prior ? walkOn : advance);
  }

  // Shows what comes next and sends only when it is painted.
  function move(step) {
    performance.mark("judge:key");
    step();
    requestAnimationFrame(() =>
      setTimeout(() => {
        performance.mark("judge:painted");
        performance.measure("judge:next-card", "judge:key", "judge:painted");
        sender.drain();
      }, 0),
    );
  }

  function putOff() {
    const card = deck.current;
    if (!card?.dataset.pair || card.dataset.answered) return;
    undoing.forget();
    later(card, {
      kind: "skip", list, url: skip, name: "Later", pair: deck.pair(),
      fields: { pair: card.dataset.pair, card: judge.idOf(card), put_off: find("input[name=put_off]")?.value ?? "" },
      title: find(".doc-title")?.textContent.trim().slice(0, 80),
    });
  }

  function later(card, entry) {
    card.dataset.answered = "later";
    tally.put += 1;
    undoing.record({ key: sender.add(entry), card, entry });
    judge.notices.clear();
    move(advance);
  }

  document.addEventListener("click", (event) => (view.clicks = event.detail), { capture: true });

  // --- what the other files use ------------------------------------------------------------------------------

  Object.assign(judge, {
    deck, sender, say, find, answer, putOff, walkBack, walkOn, advance, show, goTo, fetchCard, showStep, root,
    review, takeBack: undoing.takeBack, redo: undoing.redo,
    guarded: () => performance.now() < view.guardUntil,
    withSkipped: () => (view.skipped = "1"),
  });
  judge.start();
  if (deck.current?.dataset.pair) {
    judge.prepare(deck.current);
    showStep();
    showWalk();
    judge.clock.restart();
  }
  if (new URLSearchParams(location.search).has("skipped")) view.skipped = "1";
  // What an earlier visit left is sent first; a card that it answered must not be judged again.
  if (unsentPairs().includes(deck.pair()) && !deck.isJudged()) {
    deck.current.dataset.answered = "1";
    advance();
  }
  for (const entry of mine()) {
    if (entry.stuck === "conflict") judge.notices.conflict(entry, { problem: entry.problem });
    if (entry.stuck === "refused") judge.notices.refused(entry, { problem: entry.problem });
    if (entry.stuck === "gone") sender.store.put({ ...entry, stuck: "" }); // the list is open again
  }
  if (root.dataset.fromDevice === undefined) sender.refresh();
  else offline.restore().finally(() => (advance(), sender.refresh()));
})();
