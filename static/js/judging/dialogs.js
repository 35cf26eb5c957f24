// The dialogs of the rating screen: its keys, the grades of a query, and signing in beside the card.
import { csrfToken } from "../csrf.js";
import { say } from "./say.js";

const dialogOf = (name) => document.getElementById(`judge-${name}`);

export const isDialogOpen = () => document.querySelector("dialog[open]") !== null;

export function showHelp() {
  dialogOf("help").showModal();
  dialogOf("help").scrollTop = 0; // the button that has the focus is its end
}

// Shows the answers to a query. A click on one opens its card.
export function showReview(html, unsent) {
  const dialog = dialogOf("review");
  dialog.querySelector("[data-review]").innerHTML = html;
  dialog.querySelector("[data-unsent]").textContent = unsent ? `Not sent yet, so missing here: ${unsent}.` : "";
  if (!dialog.open) dialog.showModal();
}

export function showSignIn() {
  if (dialogOf("session").open) return;
  tellSignInProblem("");
  dialogOf("session").showModal();
}

export const closeSignIn = () => dialogOf("session").close();

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

const SIGN_IN = "/accounts/sign-in/";

// The redirect tells whether it worked. The next request checks the account.
async function signIn(form, submitter, onSignedIn) {
  if (!csrfToken()) await fetch(SIGN_IN).catch(() => null); // its page sets the cookie without which no form is taken
  const body = new FormData(form, submitter);
  if (csrfToken()) body.set("csrfmiddlewaretoken", csrfToken());
  const response = await fetch(form.action, { method: "POST", body }).catch(() => null);
  const isSignedIn = response?.ok && !new URL(response.url).pathname.startsWith(SIGN_IN);
  if (!isSignedIn) {
    return tellSignInProblem(response ? "Sign-in failed. Check the password." : "Can’t reach the server. Try again later.");
  }
  form.reset();
  closeSignIn();
  say("Signed in again.");
  return onSignedIn();
}
