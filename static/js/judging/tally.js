// What was done in the query on the screen, to say so when it is finished.
export class Tally {
  constructor(card) {
    this.#begin(card);
  }

  // On to this card: what was done in the query before it, if anything and if that is finished.
  moveTo(card) {
    if (card.dataset.query === this.query) return null;
    const { query, number, judged, putOff } = this;
    this.#begin(card);
    return judged + putOff ? { query, number, judged, putOff } : null;
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
