// Counts the acts in the query on the screen, for the notice when it is done.
export class Tally {
  constructor(card) {
    this.#begin(card);
  }

  // Moves on to this card. Returns the counts of the previous query if it is done and had several acts. A single one may be the
  // answer to a hidden repeat, and the review that is offered then would show the first answer.
  moveTo(card) {
    if (card.dataset.query === this.query) return null;
    const { query, number, judged, putOff } = this;
    this.#begin(card);
    return judged + putOff > 1 ? { query, number, judged, putOff } : null;
  }

  // `what` is "judged" or "putOff".
  takeBack(what) {
    this[what] = Math.max(0, this[what] - 1);
  }

  #begin(card) {
    const { query, queryNumber } = card?.dataset ?? {};
    Object.assign(this, { query, number: queryNumber, judged: 0, putOff: 0 });
  }
}
