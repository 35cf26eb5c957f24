// Whoever comes to the sign-in page has signed out, or another person follows: the cards that were put by for judging
// without a network go. Judgments that were not sent yet stay, and are sent for the account that gave them.
(function () {
  "use strict";

  if (!("caches" in window)) return;
  caches.keys().then((names) => {
    for (const name of names) if (name.startsWith("touchstone-judge-")) caches.delete(name);
  });
})();
