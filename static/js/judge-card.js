// The cards: the one on the screen, those that were fetched ahead, and those that were judged, for walking back.
(function () {
  "use strict";

  const KEPT = 40; // judged cards that stay in memory
  const FOLDS = {}; // folds stay as the rater left them; until then the server decides
  const judge = ((window.touchstone ??= {}).judge ??= {});

  const number = (text) => (text === undefined || text === "" ? null : Number(text));
  const pairOf = (card) => number(card?.dataset.pair);

  judge.parseCard = function (html) {
    const template = document.createElement("template");
    template.innerHTML = html;
    return template.content.querySelector("[data-card]");
  };

  // The card as the server made it, without what belongs to the page and moves from card to card.
  function sourceOf(card) {
    const copy = card.cloneNode(true);
    copy.querySelectorAll("[data-place]").forEach((place) => place.replaceChildren());
    return copy.outerHTML;
  }

  // How a card shows what was answered: the grade pressed, the box filled, and whether it counts at present.
  judge.markAnswer = function (card, answer, { withdrawn = false } = {}) {
    for (const button of card.querySelectorAll("button[name=grade], button[name=reason][data-reason-key]")) {
      const chosen = answer && button.name === answer.name && button.value === answer.value;
      if (answer) button.setAttribute("aria-pressed", String(Boolean(chosen)));
      else button.removeAttribute("aria-pressed");
    }
    const box = card.querySelector("[data-number]");
    if (box) box.value = answer?.name === "grade" ? answer.value : "";
    card.querySelector("input[name=known]")?.remove();
    delete card.dataset.known;
    card.querySelectorAll(".grade-panel > p.help").forEach((help) => help.remove());
    if (!answer) return;
    const help = document.createElement("p");
    help.className = "help";
    help.textContent = withdrawn
      ? "You took your answer back. It is marked below; choose again."
      : card.dataset.practice === undefined
        ? "You have judged this document. Choosing another grade changes your answer."
        : "An answer given in practice stays as it is.";
    card.querySelector(".grades").before(help);
    if (withdrawn) return;
    card.dataset.known = answer.value;
    const known = document.createElement("input");
    Object.assign(known, { type: "hidden", name: "known", value: "1" });
    card.querySelector("form").append(known);
  };

  judge.idOf = (card) => card.querySelector("input[name=card]")?.value;
  judge.givenName = (card) =>
    card.querySelector("button[aria-pressed=true]")?.dataset.name ?? card.querySelector("[data-number]")?.value ?? "";

  judge.makeDeck = function (root) {
    const deck = {
      current: root.querySelector("[data-card]"),
      next: [], // cards that wait, in the server's order
      judged: new Map(), // pair → card, the newest last
      last: null, // the pair judged last
      nothing: null, // what to show when no card is left
    };
    deck.last = number(deck.current?.dataset.earlier);
    if (deck.current?.dataset.pair) deck.current.source = sourceOf(deck.current);

    deck.pair = () => pairOf(deck.current);
    deck.isJudged = () => deck.current?.dataset.known !== undefined;
    deck.have = () => [...deck.next.map(pairOf), deck.pair()].filter((pair) => pair !== null);

    // Takes in what the server sent; `taken` are the pairs with an act that it has not seen yet, `back` those that will be
    // held again once it has seen what was taken back.
    deck.take = function (content, taken, back = []) {
      const cards = new Map(deck.next.map((card) => [pairOf(card), card]));
      for (const { pair, html } of content.cards) cards.set(pair, Object.assign(judge.parseCard(html), { source: html }));
      const out = new Set([...taken, deck.isJudged() ? null : deck.pair()]);
      const held = new Set(content.held.map(([pair]) => pair));
      deck.next = deck.next.filter((card) => back.includes(pairOf(card)) && !held.has(pairOf(card)) && !out.has(pairOf(card)));
      for (const [pair, place, documents] of content.held) {
        const card = pair === deck.pair() ? deck.current : cards.get(pair);
        if (card) Object.assign(card.dataset, { nth: place, documents });
        if (cards.has(pair) && !out.has(pair)) deck.next.push(card);
      }
      deck.nothing = content.nothing ?? null;
    };

    deck.keep = function (card) {
      const pair = pairOf(card);
      deck.judged.delete(pair);
      deck.judged.set(pair, card);
      if (deck.judged.size > KEPT) deck.judged.delete(deck.judged.keys().next().value);
    };

    // A first answer stands at the end of the rater's own judgments.
    deck.append = function (card) {
      const pair = pairOf(card);
      if (deck.last !== null && deck.last !== pair) card.dataset.earlier = deck.last;
      const before = deck.judged.get(deck.last);
      if (before) before.dataset.later = pair;
      deck.last = pair;
      deck.keep(card);
    };
    deck.remove = function (card) {
      if (deck.last === pairOf(card)) deck.last = number(card.dataset.earlier);
      const before = deck.judged.get(deck.last);
      if (before) delete before.dataset.later;
      deck.judged.delete(pairOf(card));
    };

    // Guidelines that opened by themselves close once a document is judged with them, unless the rater touched them.
    deck.foldGuidelines = function () {
      const fold = document.querySelector("#guidelines[data-opened]");
      if (!fold) return;
      fold.open = false;
      delete fold.dataset.opened;
    };

    // Puts a card on the screen. What belongs to the page moves along: guidelines and notices.
    deck.show = function (card) {
      const old = deck.current;
      for (const name of ["guidelines", "notices"]) {
        const there = card.querySelector(`[data-place=${name}]`);
        const here = old?.querySelector(`[data-place=${name}]`);
        if (there && here && there !== here) there.replaceChildren(...here.childNodes);
      }
      if (old && old !== card) {
        if (!deck.isJudged() && old.dataset.pair && !old.dataset.answered && !deck.next.includes(old)) deck.next.unshift(old);
        old.replaceWith(card);
      }
      // The server may have sent a card anew that was here still.
      deck.next = deck.next.filter((one) => pairOf(one) !== pairOf(card));
      deck.current = card;
      for (const fold of card.querySelectorAll("details[data-fold]")) {
        if (fold.dataset.fold in FOLDS) fold.open = FOLDS[fold.dataset.fold];
      }
    };

    return deck;
  };

  document.addEventListener("click", (event) => {
    const fold = event.target instanceof Element && event.target.closest("details[data-fold] > summary");
    if (event.target instanceof Element && event.target.closest("#guidelines")) delete document.getElementById("guidelines").dataset.opened;
    if (fold) FOLDS[fold.parentElement.dataset.fold] = !fold.parentElement.open;
  });
})();
