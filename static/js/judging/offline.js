// Keeps everything that the rating screen needs to open without a network: its page without a card, scripts and styles,
// and the cards. There is one cache for each account and list; those of other accounts are deleted. Needs https or localhost.
import { CACHE_PREFIX } from "./cache-prefix.js";

const FRESH_MS = 12 * 3600_000; // cards that are older were handed to others long ago
const PAUSE_MS = 300;

export class Offline {
  ready = false; // whether the page can be opened again
  #able = "serviceWorker" in navigator && "caches" in window;
  #preparing = null;
  #timer = null;

  // `acted()` are the pairs with an act that the server has not acknowledged.
  constructor({ root, deck, acted }) {
    const { account, list, page, shell, worker } = root.dataset;
    Object.assign(this, { deck, acted, page, shell, worker });
    this.own = `${CACHE_PREFIX}${account}-`;
    this.name = this.own + list;
    this.address = `${page}kept`;
  }

  // A little later, since cards change several at a time.
  keep() {
    if (!this.#able) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#write().catch(() => {}), PAUSE_MS); // no network, no room: what was kept stays
  }

  // The page was opened without a network: its cards, without those that were answered since.
  async restore() {
    this.ready = await caches.has(this.name);
    const kept = await (await caches.match(this.address))?.json();
    if (kept && Date.now() - kept.at < FRESH_MS) this.deck.take(kept, this.acted());
  }

  async #write() {
    this.ready &&= await caches.has(this.name);
    if (!this.ready) {
      this.#preparing ??= this.#prepare().finally(() => (this.#preparing = null));
      await this.#preparing;
    }
    if (!this.ready) return;
    const { current, next } = this.deck;
    const open = this.deck.isAnswered() || this.deck.isJudged() ? [] : [current];
    const cards = [...open, ...next].filter((card) => card?.source);
    const kept = {
      at: Date.now(),
      held: cards.map(({ dataset }) => [Number(dataset.pair), dataset.nth, dataset.documents]),
      cards: cards.map(({ dataset, source }) => ({ pair: Number(dataset.pair), html: source })),
    };
    await (await caches.open(this.name)).put(this.address, new Response(JSON.stringify(kept)));
  }

  // The page is fetched before the old copy goes, so that a network that fails midway costs nothing.
  async #prepare() {
    for (const name of await caches.keys()) {
      if (name.startsWith(CACHE_PREFIX) && !name.startsWith(this.own)) await caches.delete(name);
    }
    const response = await fetch(this.shell);
    if (!response.ok || response.redirected) return;
    const registered = navigator.serviceWorker.register(this.worker, { scope: this.page });
    this.#able = Boolean(await registered.catch(() => null));
    if (!this.#able) return; // forbidden in this browser: it is not asked again
    const parts = partsOf(await response.clone().text());
    await caches.delete(this.name);
    const cache = await caches.open(this.name);
    await cache.addAll(parts);
    await cache.put(this.page, response);
    this.ready = true;
  }
}

// The scripts with the modules that they import, the styles, and what styles had fetched besides: fonts.
function partsOf(html) {
  const content = new DOMParser().parseFromString(html, "text/html");
  const named = [...content.querySelectorAll("script[src], link[rel=modulepreload], link[rel=stylesheet]")];
  const addresses = named.map((one) => one.getAttribute("src") ?? one.getAttribute("href"));
  const fetched = performance.getEntriesByType("resource").map((entry) => entry.name);
  const fonts = fetched.filter((url) => url.startsWith(location.origin) && url.includes(".woff2"));
  return [...new Set([...addresses, ...fonts].map((url) => new URL(url, location.href).href))];
}
