// Whoever comes to the sign-in page has signed out, or another person follows: the cards that were put by for judging
// without a network go. Judgments that were not sent yet stay, and are sent for the account that gave them.
import { CACHE_PREFIX } from "./cache-prefix.js";

if ("caches" in window) {
  for (const name of await caches.keys()) if (name.startsWith(CACHE_PREFIX)) await caches.delete(name);
}
