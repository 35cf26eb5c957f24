// Opens one rating screen without a network, and does nothing else: where the page of its own scope cannot be fetched, the
// copy serves that offline.js put by, with its scripts and styles. While the server answers, its answer is shown.
"use strict";

const PAGE = new URL(self.registration.scope).pathname;
const PARTS = ["script", "style", "font"];

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== location.origin) return;
  const isPage = request.mode === "navigate" && url.pathname === PAGE;
  if (!isPage && !PARTS.includes(request.destination)) return;
  event.respondWith(fetch(request).catch(() => kept(isPage ? PAGE : request.url)));
});

async function kept(address) {
  return (await caches.match(address, { ignoreVary: true })) ?? Response.error();
}
