// Passages of a document: its field, the words, and where in the field's text they start and end, in characters.
const BLOCKS = "div, p, br, hr, ul, ol, li, dl, dt, dd, h3, h4, h5, h6, blockquote, pre, table, tr, th, td";
const LONGEST = 2000;
const MOST_SENTENCES = 200;

const lengthOf = (text) => [...text].length; // in characters, as the server counts
const leadOf = (text) => text.length - text.trimStart().length;

// The passage that a selection holds, if it lies in one field; of an excerpt nobody knows where in the text it is.
export function passageOf(range) {
  const inside = range.startContainer.parentElement;
  const text = range.toString();
  const quote = text.trim();
  const excerpt = inside?.closest("[data-excerpt]");
  if (excerpt?.contains(range.endContainer)) {
    return quote ? { field: "body", quote: quote.slice(0, LONGEST), start: null, end: null } : null;
  }
  const field = inside?.closest("[data-field]");
  if (!quote || !field?.contains(range.endContainer)) return null;
  const before = document.createRange();
  before.selectNodeContents(field);
  before.setEnd(range.startContainer, range.startOffset);
  const start = lengthOf(before.toString()) + leadOf(text);
  const words = blocksOf(range.cloneContents()).map(([block]) => block.trim()).filter(Boolean).join("\n");
  return { field: field.dataset.field, quote: words.slice(0, LONGEST), start, end: start + lengthOf(quote) };
}

// Every sentence of a card's document.
export function sentencesOf(card) {
  const fields = [...card.querySelectorAll("[data-document] [data-field]")];
  return fields.flatMap(sentencesIn).slice(0, MOST_SENTENCES);
}

function sentencesIn(holder) {
  const whole = holder.textContent;
  const parts = blocksOf(holder).flatMap(([block, at]) => split(block, at));
  return parts.flatMap(([part, at]) => {
    const quote = part.trim();
    const start = lengthOf(whole.slice(0, at + leadOf(part)));
    const passage = { field: holder.dataset.field, quote: quote.slice(0, LONGEST), start, end: start + lengthOf(quote) };
    return quote ? [passage] : [];
  });
}

function split(text, at) {
  if (!Intl.Segmenter) return [[text, at]];
  const sentences = new Intl.Segmenter(undefined, { granularity: "sentence" }).segment(text);
  return [...sentences].map((one) => [one.segment, at + one.index]);
}

// The text of an element or a fragment, block by block: [text, where it starts in the whole text].
function blocksOf(node) {
  const blocks = [];
  let at = 0;
  let fresh = true;
  const walk = (one) => {
    if (one.nodeType === Node.TEXT_NODE) {
      if (fresh) blocks.push(["", at]);
      fresh = false;
      blocks.at(-1)[0] += one.data;
      at += one.data.length;
      return;
    }
    const block = one !== node && one.matches?.(BLOCKS);
    fresh ||= block;
    one.childNodes.forEach(walk);
    fresh ||= block;
  };
  walk(node);
  return blocks;
}
