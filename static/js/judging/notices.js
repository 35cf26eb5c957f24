// Notices about unusual events. They are above the grades and never block the next answer.
import { showSignIn } from "./dialogs.js";
import { say } from "./say.js";

const OK = { words: "OK", act: () => {} };

function noticeBox({ id, level, title, text, fleeting = false }) {
  const box = document.createElement("div");
  box.className = `notice notice-${level}`;
  box.dataset.notice = id;
  if (fleeting) box.dataset.fleeting = "";
  const strong = document.createElement("strong");
  strong.textContent = title;
  const words = document.createElement("p");
  words.dir = "auto";
  words.textContent = text;
  box.append(strong, words);
  return box;
}

function actionButton({ words, act, key }, id) {
  const button = document.createElement("button");
  Object.assign(button, { type: "button", className: "btn btn-quiet btn-small", textContent: words });
  if (key) {
    const sign = document.createElement("kbd");
    sign.textContent = key;
    button.append(" ", sign);
  }
  button.addEventListener("click", () => {
    drop(id);
    act();
  });
  return button;
}

// Shows one notice of each kind and subject; a new one replaces the old one. `actions` are {words, act, key}.
function put({ id, actions = [], ...notice }) {
  drop(id);
  const box = noticeBox({ id, ...notice });
  if (actions.length) {
    const line = document.createElement("div");
    line.className = "notice-actions";
    line.append(...actions.map((action) => actionButton(action, id)));
    box.append(line);
  }
  const place = document.querySelector("[data-place=notices]") ?? document.getElementById("judge-notices");
  place.append(box);
  place.hidden = false;
  return box;
}
function drop(id) {
  for (const box of document.querySelectorAll("[data-notice]")) if (box.dataset.notice === id) box.remove();
}

function putAndSay(notice) {
  put({ id: `${notice.title} ${notice.text}`, ...notice });
  say(`${notice.title}. ${notice.text}`);
}

export function clearNotices() {
  document.querySelectorAll("[data-notice][data-fleeting]").forEach((box) => box.remove());
}

export function showNote(text) {
  putAndSay({ level: "info", title: "Note", text, actions: [OK], fleeting: true });
}

export function showQueryDone({ number, judged, putOff, key, review }) {
  put({
    id: "query-done",
    level: "success",
    title: `Query ${number} is done`,
    text: `${judged} judged just now${putOff ? `, ${putOff} put off` : ""}.`,
    actions: [{ words: "Review grades", act: review, key }],
    fleeting: true,
  });
}

// The same document was judged in another tab or on another device: nothing is replaced until the rater decides.
export function showConflict(entry, problem, sender) {
  putAndSay({
    id: `conflict ${entry.key}`,
    level: "warning",
    title: "Already judged",
    text: `${entry.title ? `“${entry.title}”: ` : ""}${problem} Here you chose ${entry.name}.`,
    actions: [
      { words: "Keep", act: () => sender.store.drop(entry.key) },
      { words: `Change to ${entry.name}`, act: () => sender.release(entry, { known: "1" }) },
    ],
  });
}

export function showJudgedElsewhere(name, onward) {
  putAndSay({
    level: "warning",
    title: "Already judged",
    text: `You judged this ${name}. Choose a grade here to change it.`,
    actions: [{ words: "Keep", act: onward }],
    fleeting: true,
  });
}

// The server refused the answer. The document comes back with the choice kept.
export function showRefused(entry, problem, { sender, goTo }) {
  const dropIt = () => sender.store.drop(entry.key);
  const judgeAgain = () => {
    dropIt();
    if (entry.pair) goTo(entry.pair, entry.fields.card);
  };
  putAndSay({
    id: `refused ${entry.key}`,
    level: "error",
    title: "Not saved",
    text: `${entry.title ? `“${entry.title}”, ` : ""}${entry.name}: ${problem || "the server refused this answer."}`,
    actions: [
      { words: "Judge it again", act: judgeAgain },
      { words: "Discard", act: dropIt },
    ],
  });
}

// Offline, signed out, a failing server: one bar for everything that waits. It takes no keys: judging continues.
export function showState({ kind, detail, kept, reopens, retry }) {
  const again = { words: "Try again", act: retry, key: "Enter" };
  const bars = {
    offline: () => ["offline", "Offline", sentences(kept && `${kept} and will be sent later.`, detail, closing(reopens)), again],
    error: () => ["error", kept ? "Not saved – try again" : "The server has a problem", failure(detail, kept), again],
    session: () => [
      "error", "Your session has ended",
      kept ? `${kept} and will be sent once you are signed in again.` : "Sign in again to save what you judge.",
      { words: "Sign in", act: showSignIn, key: "Enter" },
    ],
    account: () => ["error", "Another account", sentences(detail, kept && `${kept}.`), again],
    gone: () => [
      "error", "No longer open",
      sentences("An admin has removed the list or your access.", kept && `${kept}.`), again,
    ],
  };
  if (bars[kind]) {
    const [level, title, text, action] = bars[kind]();
    put({ id: "state", level, title, text, actions: [action] });
  } else if (kind !== "saving") {
    drop("state");
  }
}
const closing = (reopens) =>
  reopens
    ? "You can close this page and open it again, but no other pages."
    : "Don’t reload this page until you are online again: it couldn’t be loaded.";

function failure({ status, at, entry }, kept) {
  const what = entry ? ` to ${entry.title ? `“${entry.title}”, ` : ""}${entry.name}` : "";
  return sentences(`The server answered ${status}${what} at ${at}.`, kept && `${kept} and will be sent again.`);
}

const sentences = (...parts) => parts.filter(Boolean).join(" ");

// Does the action of the bar.
export function tryAgain() {
  const button = document.querySelector("[data-notice=state] button");
  button?.click();
  return Boolean(button);
}

// The list was paused while a document is open, which can still be judged.
export function showPaused(words) {
  put({
    id: "paused",
    level: "warning",
    title: "This list is paused",
    text: `${words} Your answer to this document is still saved.`,
  });
}
export const dropPaused = () => drop("paused");

export function showGuidelines({ version, html }) {
  const box = document.querySelector("[data-guidelines]");
  if (box) box.innerHTML = html; // clean: made by the server from Markdown
  document.getElementById("judge").dataset.guidelinesVersion = version;
  const fold = document.getElementById("guidelines");
  if (fold) {
    fold.open = true;
    fold.dataset.opened = "";
  }
  putAndSay({
    level: "info",
    title: "The guidelines have changed",
    text: "They are open above the document.",
    actions: [OK],
    fleeting: true,
  });
}

// In practice the right answer is shown beside the document, before the next one.
export function showPractice({ right, title, text }, onward) {
  const actions = [{ words: "Next document", act: onward, key: "Enter" }];
  const box = put({ id: "practice", level: right ? "success" : "warning", title, text, actions, fleeting: true });
  box.querySelector("button").focus(); // its text is announced together with the saved answer
}
