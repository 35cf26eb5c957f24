// Folds stay as the rater left them, from card to card; until then the server decides.
const left = {};

export function restoreFolds(card) {
  for (const fold of card.querySelectorAll("details[data-fold]")) {
    if (fold.dataset.fold in left) fold.open = left[fold.dataset.fold];
  }
}

// Guidelines that opened by themselves close once a document is judged with them, unless the rater touched them.
export function foldGuidelines() {
  const fold = document.querySelector("#guidelines[data-opened]");
  if (!fold) return;
  fold.open = false;
  delete fold.dataset.opened;
}

export function toggleGuidelines() {
  const fold = document.getElementById("guidelines");
  if (!fold) return false;
  fold.open = !fold.open;
  delete fold.dataset.opened;
  fold.querySelector("summary").focus();
  return true;
}

export function rememberFolds() {
  document.addEventListener("click", (event) => {
    const { target } = event;
    if (!(target instanceof Element)) return;
    openComment(event, target);
    const fold = target.closest("details[data-fold] > summary")?.parentElement;
    if (fold) left[fold.dataset.fold] = !fold.open;
    const guidelines = target.closest("#guidelines");
    if (guidelines) delete guidelines.dataset.opened;
  });
}

// The field takes what is typed next. Otherwise digits and letters would be keys of grades and commands.
function openComment(event, target) {
  const fold = target.closest("[data-comment] > summary")?.parentElement;
  if (!fold || fold.open) return;
  event.preventDefault();
  fold.open = true;
  fold.querySelector("textarea").focus();
}
