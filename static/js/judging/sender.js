// Sends the acts of the store in their order and reports the results. An act stays in the store until the server has
// acknowledged it. The same act sent twice changes nothing: it has a UUID. An act at which the server fails delays only
// acts that depend on it: those on the same document, and undo.
import { entrySize, headRun, MOST_SIZE, sendable } from "./order.js";
import { post } from "./post.js";
import { isTroubled } from "./save-state.js";
import { Store } from "./store.js";

const SLOW_MS = 5_000;
const HEARTBEAT_MS = 60_000;
const AWAY = 503; // the server cannot take anything just now
const FAILURES = 3; // so many in a row are no accident: the rest waits
const WAITS_MS = [2_000, 5_000, 10_000, 20_000, 40_000, 60_000];

const clockTime = () => new Date().toTimeString().slice(0, 8);

export class Sender {
  state = { kind: "idle", detail: "", saved: null };
  #sending = new Set(); // the keys of the acts that are on their way
  #busy = false;
  #again = false; // there is more to send once what is on its way has come back
  #more = false; // and then cards are wanted
  #tries = 0;
  #timer = null;

  // `screen` says whose acts these are and what cards the page has, and hears what comes back: account, list, cards,
  // have(entry), onReply(content, entry), onState(state), onConflict(entry), onRefused(entry), onFailed(entry).
  constructor(screen, { store = new Store(screen.account), send = post } = {}) {
    this.screen = screen;
    this.store = store;
    this.send = send;
  }

  waiting() {
    return this.store.all().filter((entry) => !entry.stuck);
  }

  // First judgments in this list that the server has not counted yet.
  firstWaiting() {
    return this.waiting().filter(
      ({ kind, list, fields, practice }) => kind === "answer" && list === this.screen.list && !fields.known && !practice,
    );
  }

  add(entry) {
    return this.store.add(entry);
  }

  // Takes an act back before it is sent; false when it is on its way or gone.
  recall(key) {
    if (this.#sending.has(key) || !this.store.has(key)) return false;
    this.store.drop(key);
    return true;
  }

  // Sends an act again that was stuck, with further fields.
  release({ key, ...entry }, more) {
    this.store.put({ ...entry, fields: { ...entry.fields, ...more }, stuck: "", key });
    return this.drain();
  }

  // Sends all that waits.
  async drain() {
    if (this.#busy) {
      this.#again = true;
      return;
    }
    this.#busy = true;
    clearTimeout(this.#timer);
    if (this.waiting().length && ["idle", "saved"].includes(this.state.kind)) this.#tell("saving");
    const slow = setTimeout(() => this.state.kind === "saving" && this.#tell("saving", "slow"), SLOW_MS);
    try {
      await this.#alone(() => this.#pass());
    } finally {
      clearTimeout(slow);
      this.#busy = false;
      this.#sending.clear();
      this.#afterwards();
    }
  }

  // Renews the leases and brings further cards.
  async refresh() {
    if (this.waiting().some((entry) => !entry.failed)) return this.drain();
    if (this.#busy) {
      this.#more = true;
      return undefined;
    }
    this.#busy = true;
    try {
      const answered = this.#settle(null, await this.#post(this.screen.cards, {}, null));
      if (answered && !this.waiting().length && this.state.kind !== "saved") this.#tellRest();
    } finally {
      this.#busy = false;
      this.#again ||= this.waiting().some((entry) => !entry.failed);
      this.#afterwards();
    }
    return undefined;
  }

  // Without anything to send, asking for cards tells whether the server answers again.
  retry() {
    return this.waiting().length ? this.drain() : this.refresh();
  }

  listen() {
    window.addEventListener("online", () => {
      this.#tries = 0;
      this.retry();
    });
    window.addEventListener("offline", () => this.#tell("offline"));
    // A page that the browser had put away whole may be of another session, and its cards somebody else's by now.
    window.addEventListener("pageshow", (event) => event.persisted && navigator.onLine && location.reload());
    window.addEventListener("beforeunload", (event) => {
      if (this.waiting().length && this.state.kind !== "saving") event.preventDefault();
    });
    const visible = () => document.visibilityState === "visible";
    document.addEventListener("visibilitychange", () => visible() && this.refresh());
    setInterval(() => visible() && this.state.kind !== "session" && this.refresh(), HEARTBEAT_MS);
  }

  #tell(kind, detail = "") {
    Object.assign(this.state, { kind, detail });
    const waiting = this.waiting();
    const areJudgments = waiting.every((entry) => entry.kind === "answer");
    this.screen.onState({ ...this.state, count: waiting.length, areJudgments, durable: this.store.durable });
  }
  // Nothing is left to send, which doesn't mean that the server answers again.
  #tellNothing() {
    const { kind, detail } = this.state;
    if (isTroubled(kind)) this.#tell(kind, detail.entry ? { ...detail, entry: null } : detail);
    else this.#tellRest();
  }
  #tellRest() {
    this.#tell(this.state.saved ? "saved" : "idle");
  }

  #post(url, fields, entry) {
    const whole = { ...fields, ...this.screen.have(entry), account: this.screen.account };
    return this.send(url, whole, { keepalive: entrySize(fields) < MOST_SIZE });
  }

  // One tab at a time, where the browser has locks; the UUIDs hold where it has none.
  #alone(work) {
    return globalThis.navigator?.locks ? navigator.locks.request(this.store.prefix, work) : work();
  }

  async #pass() {
    if (!this.waiting().length) return this.#tellNothing();
    const failed = new Map();
    const rest = () => sendable(this.waiting(), failed);
    let together = true;
    for (let acts = rest(); acts.length; acts = rest()) {
      const run = together ? headRun(acts, this.screen.list) : acts.slice(0, 1);
      const { status, settled } = await this.#sendRun(run);
      if (settled === "apart") {
        together = false;
        continue;
      }
      if (!settled) return undefined;
      if (settled === "failed") failed.set(run[0].key, { ...run[0], failed: this.#fail(run[0], status) });
      if (failed.size >= FAILURES || status === AWAY) break;
    }
    return this.#tellFailure(failed.values().next().value);
  }

  async #sendRun(run) {
    const [entry] = run;
    run.forEach(({ key }) => this.#sending.add(key));
    const together = { answers: JSON.stringify(run.map(({ fields }) => fields)) };
    const reply = await (run.length > 1
      ? this.#post(entry.url, together, run.at(-1))
      : this.#post(entry.url, entry.fields, entry));
    const settled = run.length > 1 ? this.#settleRun(run, reply) : this.#settle(entry, reply);
    this.#sending.clear();
    return { status: reply.status, settled };
  }

  #tellFailure(entry) {
    if (!entry) this.#tellRest();
    else if (entry.failed.status === 404 && entry.list === this.screen.list) this.#tell("gone");
    else this.#later("error", { ...entry.failed, entry });
  }

  // Each answer of a run has its own result. Where the server fails at the run, its answers go one by one ("apart").
  #settleRun(run, { status, content }) {
    if (status === 200 && content) {
      const { answers, ...rest } = content;
      answers.forEach((one, nth) => this.#settle(run[nth], { status: one.status, content: one }));
      this.screen.onReply(rest, null);
      return true;
    }
    return [0, 401].includes(status) || content?.kind === "account" ? this.#settle(null, { status, content }) : "apart";
  }

  // Whether the next act may follow; "failed" where it may unless it depends on this one. What the server did not
  // acknowledge stays in the store.
  #settle(entry, { status, content }) {
    if (status === 200 && content) {
      this.#acknowledge(entry, content);
      return true;
    }
    if (entry && this.#isStuck(entry, status, content)) return true;
    if (status === 401) this.#tell("session");
    else if (content?.kind === "account") this.#tell("account", content.problem);
    else if (status === 0) this.#later("offline");
    else if (entry) return "failed";
    else if (status === 404) this.#tell("gone");
    else this.#later("error", { status, at: clockTime() });
    return false;
  }

  #acknowledge(entry, content) {
    if (entry) this.store.drop(entry.key);
    this.#tries = 0;
    if (content.saved) this.state.saved = { ...content.saved, at: clockTime() }; // all of the bar by this device's clock
    this.screen.onReply(content, entry);
  }

  // Sending the act again is useless: a person has to decide, or its list has to be open again.
  #isStuck(entry, status, content) {
    if (content?.kind === "conflict") {
      this.store.put({ ...entry, stuck: "conflict", problem: content.problem });
      this.screen.onConflict(entry, content);
    } else if (status === 422) {
      this.store.put({ ...entry, stuck: "refused", problem: content?.problem ?? "" });
      this.screen.onRefused(entry, content);
    } else if (status === 404 && entry.list !== this.screen.list) {
      this.store.put({ ...entry, stuck: "gone" });
    } else {
      return false;
    }
    return true;
  }

  // The server has answered that it failed. `times` is kept with the act, so that a reload does not forget it.
  #fail(entry, status) {
    const failed = { status, at: clockTime(), times: (entry.failed?.times ?? 0) + 1 };
    this.store.put({ ...entry, failed });
    this.screen.onFailed({ ...entry, failed });
    return failed;
  }

  #later(kind, detail) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.retry(), WAITS_MS[Math.min(this.#tries, WAITS_MS.length - 1)]);
    this.#tries += 1;
    this.#tell(kind, detail);
  }

  #afterwards() {
    if (this.#again) {
      this.#again = false;
      this.drain();
    } else if (this.#more) {
      this.#more = false;
      this.refresh();
    }
  }
}
