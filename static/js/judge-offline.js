// Puts by what the rating screen needs to be opened again without a network: its page without a card, scripts and styles,
// and the cards that are here. One cache for each account and list; those of other accounts go. Needs https or localhost.
(function () {
  "use strict";

  const PREFIX = "touchstone-judge-"; // judge-forget.js knows it, too
  const FRESH_MS = 12 * 3600_000; // cards that are older were handed to others long ago
  const PAUSE_MS = 300;
  const judge = ((window.touchstone ??= {}).judge ??= {});

  // `acted()` are the pairs with an act that the server has not acknowledged.
  judge.makeOffline = function ({ root, deck, acted }) {
    const { account, list, page, shell, worker } = root.dataset;
    const name = `${PREFIX}${account}-${list}`;
    const address = `${page}kept`;
    let able = "serviceWorker" in navigator && "caches" in window;
    const offline = { ready: false, keep, restore };
    let preparing = null;
    let timer = null;

    const stale = (other) => other.startsWith(PREFIX) && !other.startsWith(`${PREFIX}${account}-`);

    // The page is fetched before the old copy goes, so that a network that fails midway costs nothing.
    async function prepare() {
      for (const other of await caches.keys()) if (stale(other)) await caches.delete(other);
      const response = await fetch(shell);
      if (!response.ok || response.redirected) return;
      able = Boolean(await navigator.serviceWorker.register(worker, { scope: page }).catch(() => null));
      if (!able) return; // forbidden in this browser: it is not asked again
      const parts = partsOf(await response.clone().text());
      await caches.delete(name);
      const cache = await caches.open(name);
      await cache.addAll(parts);
      await cache.put(page, response);
      offline.ready = true;
    }

    // The scripts and styles of the page, and what styles had fetched besides: fonts.
    function partsOf(html) {
      const content = new DOMParser().parseFromString(html, "text/html");
      const named = [...content.querySelectorAll("script[src], link[rel=stylesheet]")];
      const found = named.map((one) => one.getAttribute("src") ?? one.getAttribute("href"));
      const fetched = performance.getEntriesByType("resource").map((entry) => entry.name);
      const fonts = fetched.filter((url) => url.startsWith(location.origin) && url.includes(".woff2"));
      return [...new Set([...found, ...fonts].map((url) => new URL(url, location.href).href))];
    }

    async function write() {
      offline.ready &&= await caches.has(name);
      if (!offline.ready) {
        preparing ??= prepare().finally(() => (preparing = null));
        await preparing;
      }
      if (!offline.ready) return;
      const open = deck.current?.dataset.answered || deck.isJudged() ? [] : [deck.current];
      const cards = [...open, ...deck.next].filter((card) => card?.source);
      const kept = {
        at: Date.now(),
        held: cards.map(({ dataset }) => [Number(dataset.pair), dataset.nth, dataset.documents]),
        cards: cards.map((card) => ({ pair: Number(card.dataset.pair), html: card.source })),
      };
      await (await caches.open(name)).put(address, new Response(JSON.stringify(kept)));
    }

    // A little later, since cards change several at a time.
    function keep() {
      if (!able) return;
      clearTimeout(timer);
      timer = setTimeout(() => write().catch(() => {}), PAUSE_MS); // no network, no room: what was kept stays
    }

    // The page was opened without a network: its cards, without those that were answered since.
    async function restore() {
      offline.ready = await caches.has(name);
      const found = await (await caches.match(address))?.json();
      if (found && Date.now() - found.at < FRESH_MS) deck.take(found, acted());
    }

    return offline;
  };
})();
