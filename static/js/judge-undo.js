// Taking acts back and doing them again: first the acts of this visit, the newest first, then what the server knows.
(function () {
  "use strict";

  const judge = ((window.touchstone ??= {}).judge ??= {});

  judge.makeUndo = function (screen) {
    const { list, undo, root, deck, tally, view, sender, mine, say, sayWith, show, showStep, goTo, guard, advance, move, give, later } = screen;
    const acts = []; // what was done in this visit: {key, card, entry, prior}
    const takenBack = []; // and what of it was taken back, for doing it again

    // Another choice takes the place of one at which the server failed. What stood before that one stays what an undo
    // leads back to: `{none: true}` where there was nothing.
    function supersede(pair) {
      const failed = mine().find((entry) => entry.kind === "answer" && entry.pair === pair && entry.failed && !entry.stuck);
      if (!failed || !sender.recall(failed.key)) return null;
      const at = acts.findIndex((act) => act.key === failed.key);
      const [act] = at < 0 ? [] : acts.splice(at, 1);
      return act?.prior ?? { none: true };
    }

    // The acts of this visit one by one, the newest first; before them what the server knows.
    function takeBack() {
      const act = acts.pop();
      judge.notices.clear();
      if (!act || !sender.recall(act.key)) {
        sender.add({ kind: "undo", list, url: undo, fields: judge.undoFields(act?.entry), pair: act?.entry.pair, name: "Undo", shown: Boolean(act) });
      }
      if (act) takenBack.push(act);
      else takenBack.length = 0;
      showUndone();
      if (!act) return sender.drain();
      delete act.card.dataset.answered;
      if (act.entry.kind === "skip") return bringBack(act.card);
      if (!act.prior) {
        deck.remove(act.card);
        judge.own.takenBack();
        tally.judged = Math.max(0, tally.judged - 1);
      }
      const given = judge.priorOf(act.card);
      judge.markAnswer(act.card, act.prior ?? given, { withdrawn: !act.prior });
      move(() => {
        if (deck.current !== act.card) show(act.card);
        else showStep();
      });
    }

    function bringBack(card) {
      tally.put = Math.max(0, tally.put - 1);
      const field = card.querySelector("input[name=put_off]");
      if (field) field.value = "";
      move(() => deck.current !== card && show(card));
    }

    function redo() {
      const act = takenBack.pop();
      if (!act) return say("There is nothing to do again.");
      const { card, entry, prior } = act;
      if (deck.current !== card) show(card);
      if (entry.kind === "skip") return later(card, { ...entry, fields: { ...entry.fields, put_off: "" } });
      give(card, { ...entry, fields: { ...entry.fields, request_id: judge.uuid() } }, prior);
    }
    function showUndone() {
      const button = root.querySelector("[data-command=redo]");
      if (button) button.hidden = !takenBack.length;
    }

    // The server takes back the last act, wherever it was given: its card comes on the screen, unless it has been there
    // since the key was pressed, and the rater may have gone on.
    function undone(content, { shown }) {
      const { pair, card } = content.saved ?? {};
      if (content.saved) sayWith(`${content.saved.text}.`);
      if (pair && pair !== deck.pair() && !shown) return goTo(pair, card).then(guard);
      if (view.waiting) return advance();
      showStep();
    }

    return {
      takeBack, redo, undone, supersede,
      isLast: (key) => acts.at(-1)?.key === key,
      // Answers in practice stay.
      record(act) {
        if (!act.entry.practice) acts.push(act);
        showUndone();
      },
      // A new act: nothing is left to do again.
      forget: () => (takenBack.length = 0),
    };
  };
})();
