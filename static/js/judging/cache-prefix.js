// What the names of the caches begin with that hold the cards of a rating screen.
export const CACHE_PREFIX = "touchstone-judge-";
