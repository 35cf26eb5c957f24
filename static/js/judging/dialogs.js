// The dialogs of the rating screen: its keys, the grades of a query, and signing in beside the card.
import { csrfToken } from "../csrf.js";
import { say } from "./say.js";

const dialogOf = (name) => document.getElementById(`judge-${name}`);

export const isDialogOpen = () => document.querySelector("dialog[open]") !== null;

export function showHelp() {
  dialogOf("help").showModal();
  dialogOf("help").scrollTop = 0; // the button that has the focus is its end
}

// What the server says of a query's answers; a choice brings its card on the screen.
export function showReview(html, unsent) {
  const dialog = dialogOf("review");
  dialog.querySelector("[data-review]").innerHTML = html;
  dialog.querySelector("[data-unsent]").textContent = unsent ? `Not sent yet, and not in this list: ${unsent}.` : "";
  if (!dialog.open) dialog.showModal();
}

export function showSignIn() {
  if (dialogOf("session").open) return;
  tellSignInProblem("");
  dialogOf("session").showModal();
}

function tellSignInProblem(text) {
  dialogOf("session").querySelector("[data-sign-in-problem]").textContent = text;
}

export function listenToDialogs({ goTo, onSignedIn }) {
  document.addEventListener("click", (event) => {
    if (!(event.target instanceof Element)) return;
    if (event.target.closest("[data-close]")) event.target.closest("dialog").close();
    const link = event.target.closest("#judge-review a[data-pair]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    dialogOf("review").close();
    goTo(Number(link.dataset.pair));
  });
  dialogOf("session").querySelector("[data-sign-in]").addEventListener("submit", (event) => {
    event.preventDefault();
    signIn(event.target, event.submitter, onSignedIn);
  });
}

// Whether it worked is asked of the server, as is which account it is.
async function signIn(form, submitter, onSignedIn) {
  const body = new FormData(form, submitter);
  if (csrfToken()) body.set("csrfmiddlewaretoken", csrfToken());
  const response = await fetch(form.action, { method: "POST", body }).catch(() => null);
  const signedIn = response?.ok && !new URL(response.url).pathname.startsWith("/accounts/sign-in");
  if (!signedIn) {
    return tellSignInProblem(response ? "That did not work. Check the password." : "The server cannot be reached.");
  }
  form.reset();
  dialogOf("session").close();
  say("Signed in again.");
  return onSignedIn();
}
