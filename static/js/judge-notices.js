// What is out of the ordinary and needs a decision: stands above the grades, never in the way of the next answer.
(function () {
  "use strict";

  const judge = ((window.touchstone ??= {}).judge ??= {});
  const notices = (judge.notices = {});
  const place = () => document.querySelector("[data-place=notices]") ?? document.getElementById("judge-notices");

  // One notice of each kind and subject; a new one takes the old one's place. `actions` are [words, what they do, key].
  function put(id, level, title, text, actions = [], { fleeting = false } = {}) {
    drop(id);
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
    if (actions.length) box.append(buttons(id, actions));
    place().append(box);
    place().hidden = false;
    return box;
  }
  function buttons(id, actions) {
    const line = document.createElement("div");
    line.className = "notice-actions";
    for (const [words, act, key] of actions) {
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
      line.append(button);
    }
    return line;
  }
  function drop(id) {
    document.querySelectorAll("[data-notice]").forEach((box) => box.dataset.notice === id && box.remove());
  }
  const told = (level, title, text, actions, options) => {
    put(`${title} ${text}`, level, title, text, actions, options);
    judge.say(`${title}. ${text}`);
  };

  notices.clear = () => document.querySelectorAll("[data-notice][data-fleeting]").forEach((box) => box.remove());
  notices.note = (text) => told("info", "Note", text, [["OK", () => {}]], { fleeting: true });

  notices.queryDone = (number, judged, put_off) => {
    const text = `${judged} judged${put_off ? `, ${put_off} put off` : ""}.`;
    const key = judge.root.dataset.shortcuts === "on" ? JSON.parse(judge.root.dataset.keys).review.toUpperCase() : "";
    put("query-done", "success", `Query ${number} is done`, text, [["Look at them again", () => judge.review(), key]], { fleeting: true });
  };

  // The same document, judged in another tab: nothing is replaced before the rater says so.
  notices.conflict = (entry, { problem }) => {
    if (!entry) return;
    const title = "Judged in another tab";
    const text = `${entry.title ? `“${entry.title}”: ` : ""}${problem} Here you chose ${entry.name}.`;
    put(`conflict ${entry.key}`, "warning", title, text, [
      ["Keep", () => judge.sender.store.drop(entry.key)],
      [`Change to ${entry.name}`, () => judge.sender.release(entry, { known: "1" })],
    ]);
    judge.say(`${title}. ${text}`);
  };
  notices.otherTab = (entry) => {
    told("warning", "Judged in another tab", `You have just judged this ${entry.name}. Choosing a grade here changes it.`, [
      ["Keep", () => judge.advance()],
    ], { fleeting: true });
  };

  // What the server cannot take as it is: the document comes back with the choice kept.
  notices.refused = (entry, content) => {
    if (!entry) return;
    const text = `${entry.title ? `“${entry.title}”, ` : ""}${entry.name}: ${content?.problem || "the server refused it."}`;
    put(`refused ${entry.key}`, "error", "Not saved", text, [
      ["Judge it again", () => {
        judge.sender.store.drop(entry.key);
        if (entry.pair) judge.goTo(entry.pair, entry.fields.card);
      }],
      ["Let it go", () => judge.sender.store.drop(entry.key)],
    ]);
    judge.say(`Not saved. ${text}`);
  };

  // Offline, signed out, a failing server: one bar for all that waits. It never takes the keys: judging goes on.
  notices.state = (kind, detail, count, kept) => {
    const again = ["Try again", () => judge.sender.retry(), "Enter"];
    const stay = judge.offline?.ready
      ? "This page can be closed and opened again; other pages cannot."
      : "Do not reload this page before you are online again: it could not be shown.";
    if (kind === "offline") put("state", "offline", "Offline", [count && `${kept}.`, detail, stay].filter(Boolean).join(" "), [again]);
    else if (kind === "error") put("state", "error", "Not saved – try again", failure(detail, kept), [again]);
    else if (kind === "session") {
      put("state", "error", "Your session has ended", `${kept}, once you are signed in again.`, [["Sign in", () => judge.dialogs.signIn(), "Enter"]]);
    } else if (kind === "account") put("state", "error", "Another account", `${detail} They are kept on this device.`, [again]);
    else if (kind === "gone") put("state", "error", "Not open any more", `An admin has removed the list or your access. ${kept.replace(", will be sent", "")}.`, [again]);
    else if (kind !== "saving") drop("state");
  };
  function failure({ status, at, entry }, kept) {
    const what = entry ? ` to ${entry.title ? `“${entry.title}”, ` : ""}${entry.name}` : "";
    return `The server answered ${status}${what} at ${at}. ${kept}.`;
  }
  notices.tryAgain = () => {
    const button = document.querySelector("[data-notice=state] button");
    button?.click();
    return Boolean(button);
  };

  // The list was paused while a document is open: that one can still be judged.
  notices.reason = (html) => {
    drop("paused");
    if (!html) return;
    const words = judge.parseCard(html).querySelector(".empty p")?.textContent.trim() ?? "";
    put("paused", "warning", "This list is paused", `${words} Your answer to this document is still saved.`);
  };

  notices.guidelines = ({ version, html }) => {
    const box = document.querySelector("[data-guidelines]");
    if (box) box.innerHTML = html; // clean: made by the server from Markdown
    judge.root.dataset.guidelinesVersion = version;
    const fold = document.getElementById("guidelines");
    if (fold) {
      fold.open = true;
      fold.dataset.opened = "";
    }
    told("info", "The guidelines have changed", "They are open above the document.", [["OK", () => {}]], { fleeting: true });
  };

  notices.practice = ({ right, title, text }, onward) => {
    const box = put("practice", right ? "success" : "warning", title, text, [["Next document", onward, "Enter"]], { fleeting: true });
    box.querySelector("button").focus(); // what it says is said with the answer's being saved
  };

  // --- dialogs -----------------------------------------------------------------------------------------------

  const session = document.getElementById("judge-session");
  judge.dialogs = {
    open: () => document.querySelector("dialog[open]") !== null,
    help() {
      const dialog = document.getElementById("judge-help");
      dialog.showModal();
      dialog.scrollTop = 0; // the button that has the focus is its end
      return true;
    },
    // What the server says of a query's answers; a choice brings its card on the screen.
    review(html, unsent) {
      const dialog = document.getElementById("judge-review");
      dialog.querySelector("[data-review]").innerHTML = html;
      dialog.querySelector("[data-unsent]").textContent = unsent ? `Not sent yet, and not in this list: ${unsent}.` : "";
      if (!dialog.open) dialog.showModal();
    },
    signIn() {
      if (!session || session.open) return;
      session.querySelector("[data-sign-in-problem]").textContent = "";
      session.showModal();
    },
  };
  document.addEventListener("click", (event) => {
    if (!(event.target instanceof Element)) return;
    if (event.target.closest("[data-close]")) event.target.closest("dialog").close();
    const link = event.target.closest("#judge-review a[data-pair]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    link.closest("dialog").close();
    judge.goTo(Number(link.dataset.pair));
  });

  // Signs in beside the card. Whether it worked is asked of the server, as is which account it is.
  session?.querySelector("[data-sign-in]").addEventListener("submit", async (event) => {
    event.preventDefault();
    const form = event.target;
    const body = new FormData(form, event.submitter);
    const token = document.cookie.match(/(?:^|; )csrftoken=([^;]+)/)?.[1];
    if (token) body.set("csrfmiddlewaretoken", token);
    const response = await fetch(form.action, { method: "POST", body }).catch(() => null);
    const signedIn = response?.ok && !new URL(response.url).pathname.startsWith("/accounts/sign-in");
    if (!signedIn) {
      session.querySelector("[data-sign-in-problem]").textContent = response
        ? "That did not work. Check the password."
        : "The server cannot be reached.";
      return;
    }
    form.querySelector("[type=password]")?.form.reset();
    session.close();
    judge.say("Signed in again.");
    await judge.sender.refresh();
  });
})();
