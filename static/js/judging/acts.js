// The acts of this visit, for taking them back one by one, the newest first, and for doing them again. An act is
// {key, card, entry, prior}: its key in the store, its card, what is sent, and the answer before, null for none.
export class Acts {
  #done = [];
  #takenBack = [];

  get canUndo() {
    return this.#done.length > 0;
  }

  get canRedo() {
    return this.#takenBack.length > 0;
  }

  // Answers in practice stay.
  record(act) {
    if (!act.entry.practice) this.#done.push(act);
  }

  // A new act: nothing is left to do again.
  forgetTakenBack() {
    this.#takenBack.length = 0;
  }

  // The newest act; undefined where there is none, and the server is to take back the last one that it knows.
  takeBack() {
    const act = this.#done.pop();
    if (act) this.#takenBack.push(act);
    else this.forgetTakenBack();
    return act;
  }

  redo() {
    return this.#takenBack.pop();
  }

  isNewest(key) {
    return this.#done.at(-1)?.key === key;
  }

  // Another choice takes the place of this act.
  remove(key) {
    const at = this.#done.findIndex((act) => act.key === key);
    return at < 0 ? undefined : this.#done.splice(at, 1)[0];
  }
}
