// Walking through one's own judgments by arrows, and looking at all of a query once it is done.
(function () {
  "use strict";

  const judge = ((window.touchstone ??= {}).judge ??= {});

  // `finished()` is the query that was finished last, `unsent(query)` how many of its answers the server has not seen.
  judge.makeWalk = function ({ root, page, deck, say, show, advance, finished, unsent }) {
    // `id` names one of several cards of the same document.
    async function fetchCard(pair, id) {
      const response = await fetch(`${page}?pair=${pair}${id ? `&card=${id}` : ""}`, { headers: { Accept: "application/json", "HX-Request": "true" } }).catch(() => null);
      if (response?.status === 401) judge.sender.refresh(); // which finds out, too, and says so
      if (!response?.ok) return null;
      return judge.parseCard((await response.json()).html);
    }

    async function goTo(pair, id) {
      let card = deck.judged.get(pair) ?? deck.next.find((one) => one.dataset.pair === String(pair));
      if (!card) {
        card = await fetchCard(pair, id);
        if (!card) return say("This judgment cannot be fetched at present.");
        if (card.dataset.known !== undefined) deck.keep(card);
      }
      show(card);
    }

    async function walkBack() {
      const card = deck.current;
      let pair = deck.isJudged() ? card.dataset.earlier : (deck.last ?? card?.dataset.earlier);
      if (!pair && !deck.isJudged() && card?.dataset.pair) pair = (await fetchCard(card.dataset.pair, judge.idOf(card)))?.dataset.earlier;
      if (!pair) return say("There is no earlier judgment.");
      return goTo(Number(pair));
    }
    function walkOn() {
      const pair = deck.isJudged() ? deck.current.dataset.later : null;
      if (pair) return goTo(Number(pair));
      if (deck.isJudged() || !deck.current?.dataset.pair) return advance();
      return say("This is the document to judge.");
    }
    // All answers of the query that was finished last, or of the one on the screen, to find slips.
    async function review() {
      const query = finished() ?? deck.current?.dataset.query;
      if (!query) return;
      const response = await fetch(`${page}queries/${query}/`, { headers: { "HX-Request": "true" } }).catch(() => null);
      if (response?.status === 401) return judge.sender.refresh();
      if (!response?.ok) return say("Your grades cannot be fetched at present.");
      judge.dialogs.review(await response.text(), unsent(query));
    }

    function showWalk() {
      const back = root.querySelector("[data-command=earlier]");
      const on = root.querySelector("[data-command=later]");
      const before = deck.isJudged() ? deck.current.dataset.earlier : (deck.last ?? deck.current?.dataset.earlier);
      const after = deck.current?.dataset.later;
      back.hidden = !before;
      back.href = before ? `${page}?pair=${before}` : page;
      on.hidden = !deck.isJudged();
      on.href = after ? `${page}?pair=${after}` : page;
    }

    return { fetchCard, goTo, walkBack, walkOn, showWalk, review };
  };
})();
