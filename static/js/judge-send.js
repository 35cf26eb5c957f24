// Sends what the store holds, one act after the other in their order, and tells what became of it. An act leaves the
// store when the server has acknowledged it, not before. The same act sent twice changes nothing: it carries a UUID.
// An act at which the server fails holds up only what depends on it: the same document, and taking back.
(function () {
  "use strict";

  const TIMEOUT_MS = 20_000;
  const SLOW_MS = 5_000;
  const HEARTBEAT_MS = 60_000;
  const AWAY = 503; // the server cannot take anything just now
  const FAILURES = 3; // so many in a row are no accident: the rest waits
  const MOST_AT_ONCE = 25; // answers in one request
  const MOST_SIZE = 50_000; // so much goes on when the tab is closed
  const WAITS_MS = [2_000, 5_000, 10_000, 20_000, 40_000, 60_000];

  const judge = ((window.touchstone ??= {}).judge ??= {});

  // How an undo names what it takes back; without an act it is the last one that the server knows.
  judge.undoFields = (entry) => ({
    undo_id: judge.uuid(),
    ...(entry?.kind === "answer" && { answer: entry.fields.request_id }),
    ...(entry?.kind === "skip" && { pair: entry.pair }),
  });

  const entrySize = (fields) => Object.values(fields).join("").length;

  // `screen` tells what the cards on the page are and hears what comes back:
  // have(entry), urls, account, onReply(content, entry), onState(state), onConflict(entry), onRefused(entry), onFailed(entry)
  judge.makeSender = function (screen) {
    const store = judge.openStore(screen.account);
    const state = { kind: "idle", detail: "", saved: null };
    const sending = new Set(); // the keys of the acts that are on their way
    let busy = false;
    let again = false;
    let more = false; // cards are wanted once what is on its way has come back
    let tries = 0;
    let timer = null;

    const waiting = () => store.all().filter((entry) => !entry.stuck);

    // First judgments in this list that the server has not counted yet.
    const firstWaiting = () =>
      waiting().filter(({ kind, list, fields, practice }) => kind === "answer" && list === screen.list && !fields.known && !practice);

    function tell(kind, detail = "") {
      Object.assign(state, { kind, detail });
      screen.onState({ ...state, count: waiting().length, durable: store.durable });
    }

    const token = () =>
      document.cookie.match(/(?:^|; )csrftoken=([^;]+)/)?.[1] ??
      document.querySelector("[name=csrfmiddlewaretoken]")?.value ?? "";

    async function post(url, fields, entry) {
      const body = new FormData();
      for (const [name, value] of Object.entries({ ...fields, ...screen.have(entry), account: screen.account })) {
        body.append(name, value ?? "");
      }
      body.set("csrfmiddlewaretoken", token()); // signing in anew changed it, and the form's own comes before the header
      try {
        const response = await fetch(url, {
          method: "POST",
          body,
          // HX-Request: an ended session answers 401 and never a sign-in page.
          headers: { Accept: "application/json", "HX-Request": "true", "X-CSRFToken": token() },
          keepalive: entrySize(fields) < MOST_SIZE,
          signal: AbortSignal.timeout?.(TIMEOUT_MS),
        });
        const json = response.headers.get("Content-Type")?.includes("json");
        return { status: response.status, content: json ? await response.json() : null };
      } catch {
        return { status: 0, content: null };
      }
    }

    const now = () => new Date().toTimeString().slice(0, 8);

    // The server has answered that it failed. `times` is kept with the act, so that a reload does not forget it.
    function fail(entry, status) {
      const failed = { status, at: now(), times: (entry.failed?.times ?? 0) + 1 };
      store.put({ ...entry, failed });
      screen.onFailed?.({ ...entry, failed });
      return failed;
    }

    // The acts to send in this pass, in order. What failed in it holds up answers to the same document and all taking back.
    function following(failed) {
      const acts = waiting();
      const held = (entry, nth) =>
        failed.has(entry.key) ||
        acts.slice(0, nth).some((before) => before.list === entry.list && (before.kind === "undo" || entry.kind === "undo" || before.pair === entry.pair) && failed.has(before.key));
      return acts.filter((entry, nth) => !held(entry, nth));
    }

    // Whether the next act may follow. What the server did not acknowledge stays in the store.
    function settle(entry, { status, content }) {
      if (status === 200 && content) {
        if (entry) store.drop(entry.key);
        tries = 0;
        if (content.saved) state.saved = { ...content.saved, at: now() }; // all of the bar by one clock, this device's
        screen.onReply(content, entry);
        return true;
      }
      if (entry && content?.kind === "conflict") {
        store.put({ ...entry, stuck: "conflict", problem: content.problem });
        screen.onConflict(entry, content);
        return true;
      }
      if (entry && status === 422) {
        store.put({ ...entry, stuck: "refused", problem: content?.problem ?? "" });
        screen.onRefused(entry, content);
        return true;
      }
      if (entry && status === 404 && entry.list !== screen.list) {
        store.put({ ...entry, stuck: "gone" }); // of a list that is not open any more: nothing else waits for it
        return true;
      }
      if (status === 401) tell("session");
      else if (content?.kind === "account") tell("account", content.problem);
      else if (status === 0) later("offline");
      else if (entry) return "failed";
      else if (status === 404) tell("gone");
      else later("error", { status, at: now() });
      return false;
    }

    function later(kind, detail) {
      clearTimeout(timer);
      timer = setTimeout(retry, WAITS_MS[Math.min(tries, WAITS_MS.length - 1)]);
      tries += 1;
      tell(kind, detail);
    }

    // Without anything to send, asking for cards tells whether the server answers again.
    const retry = () => (waiting().length ? drain() : refresh());

    // One tab at a time, where the browser has locks; the UUIDs hold where it has none.
    const alone = (work) => (navigator.locks ? navigator.locks.request(store.prefix, work) : work());

    async function drain() {
      if (busy) {
        again = true;
        return;
      }
      busy = true;
      clearTimeout(timer);
      if (waiting().length && (state.kind === "idle" || state.kind === "saved")) tell("saving");
      const slow = setTimeout(() => state.kind === "saving" && tell("saving", "slow"), SLOW_MS);
      try {
        await alone(pass);
      } finally {
        clearTimeout(slow);
        busy = false;
        sending.clear();
        afterwards();
      }
    }

    async function pass() {
      const failed = new Map();
      let together = true;
      for (let acts = following(failed); acts.length; acts = following(failed)) {
        const [entry] = acts;
        const run = together ? runOf(acts) : [entry];
        run.forEach(({ key }) => sending.add(key));
        const reply = await (run.length > 1 ? postRun(run) : post(entry.url, entry.fields, entry));
        const settled = run.length > 1 ? settleRun(run, reply) : settle(entry, reply);
        sending.clear();
        if (settled === "apart") together = false;
        else if (!settled) return;
        if (settled === "failed") failed.set(entry.key, { ...entry, failed: fail(entry, reply.status) });
        if (failed.size >= FAILURES || (settled !== "apart" && reply.status === AWAY)) break;
      }
      const [first] = failed.values();
      if (!first) tell(state.saved ? "saved" : "idle");
      else if (first.failed.status === 404 && first.list === screen.list) tell("gone");
      else later("error", { ...first.failed, entry: first });
    }

    // The answers at the head that go in one request. One at which the server failed before goes alone.
    function runOf(acts) {
      let size = 0;
      const end = acts.findIndex((entry, nth) => {
        size += entrySize(entry.fields);
        return entry.kind !== "answer" || entry.list !== screen.list || entry.failed || nth === MOST_AT_ONCE || size >= MOST_SIZE;
      });
      return end < 0 ? acts : acts.slice(0, Math.max(end, 1));
    }
    const postRun = (run) => post(run[0].url, { answers: JSON.stringify(run.map(({ fields }) => fields)) }, run.at(-1));

    // Each answer of a run has its own result. Where the server fails at the run, its answers go one by one ("apart").
    function settleRun(run, { status, content }) {
      if (status === 200 && content) {
        const { answers, ...rest } = content;
        answers.forEach((one, nth) => settle(run[nth], { status: one.status, content: one }));
        screen.onReply(rest, null);
        return true;
      }
      return [0, 401].includes(status) || content?.kind === "account" ? settle(null, { status, content }) : "apart";
    }

    function afterwards() {
      if (again) {
        again = false;
        drain();
      } else if (more) {
        more = false;
        refresh();
      }
    }

    // Renews the leases and brings further cards.
    async function refresh() {
      if (waiting().some((entry) => !entry.failed)) return drain();
      if (busy) {
        more = true;
        return;
      }
      busy = true;
      try {
        const came = settle(null, await post(screen.urls.cards, {}, null));
        if (came && !waiting().length && state.kind !== "saved") tell(state.saved ? "saved" : "idle");
      } finally {
        busy = false;
        again ||= waiting().some((entry) => !entry.failed);
        afterwards();
      }
    }

    window.addEventListener("online", () => {
      tries = 0;
      retry();
    });
    // A page that the browser had put away whole may be of another session, and its cards somebody else's by now.
    window.addEventListener("pageshow", (event) => {
      if (event.persisted && navigator.onLine) location.reload();
    });
    window.addEventListener("offline", () => tell("offline"));
    window.addEventListener("storage", (event) => {
      if (event.key?.startsWith(store.prefix)) screen.onOtherTab(event);
    });
    window.addEventListener("beforeunload", (event) => {
      if (waiting().length && state.kind !== "saving") event.preventDefault();
    });
    document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && refresh());
    setInterval(() => document.visibilityState === "visible" && state.kind !== "session" && refresh(), HEARTBEAT_MS);

    return {
      store,
      state,
      waiting,
      firstWaiting,
      drain,
      retry,
      refresh,
      add: (entry) => store.add(entry),
      // Takes an act back before it is sent; false when it is on its way or gone.
      recall(key) {
        if (sending.has(key) || !store.has(key)) return false;
        store.drop(key);
        return true;
      },
      release({ key, ...entry }, more) {
        store.put({ ...entry, fields: { ...entry.fields, ...more }, stuck: "", key });
        return drain();
      },
    };
  };
})();
