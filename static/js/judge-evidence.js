// Evidence: the passages that decide. Selecting words in the document takes them; by keyboard one chooses sentences.
// Without a script the box takes them, one on each line.
(function () {
  "use strict";

  const MOST = 20;
  const judge = ((window.touchstone ??= {}).judge ??= {});
  const box = (card) => card?.querySelector("[data-evidence]");
  const field = (card) => box(card)?.querySelector("input[name=evidence]");
  const sentences = document.getElementById("judge-sentences");

  const read = (card) => {
    try {
      return JSON.parse(field(card).value || "[]");
    } catch {
      return [];
    }
  };
  function write(card, passages) {
    field(card).value = JSON.stringify(passages);
    box(card).querySelector("textarea").value = "";
    draw(card);
  }

  function draw(card) {
    const list = box(card).querySelector("[data-passages]");
    const rows = read(card).map((passage, nth) => {
      const row = document.createElement("li");
      const words = document.createElement("q");
      words.dir = "auto";
      words.textContent = passage.quote;
      const remove = document.createElement("button");
      Object.assign(remove, { type: "button", className: "btn btn-quiet btn-small", textContent: "Remove" });
      remove.setAttribute("aria-label", `Remove “${passage.quote.slice(0, 60)}”`);
      remove.addEventListener("click", () => write(card, read(card).filter((_, other) => other !== nth)));
      row.append(words, " ", remove);
      return row;
    });
    list.replaceChildren(...rows);
  }

  function add(card, found) {
    const known = read(card);
    const fresh = found.filter((one) => !known.some((old) => old.quote === one.quote && old.start === one.start));
    if (!fresh.length) return;
    write(card, [...known, ...fresh].slice(0, MOST));
    box(card).open = true;
    judge.say(`Evidence: ${fresh.map((one) => one.quote).join(" … ").slice(0, 200)}`);
  }

  const BLOCKS = "div, p, br, hr, ul, ol, li, dl, dt, dd, h3, h4, h5, h6, blockquote, pre, table, tr, th, td";

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
  const wordsOf = (node) => blocksOf(node).map(([text]) => text.trim()).filter(Boolean).join("\n");

  // Where a range starts and ends in the text of the field that holds it, in characters of that text.
  function passageOf(range) {
    const inside = range.startContainer.parentElement;
    const excerpt = inside?.closest("[data-excerpt]");
    if (excerpt?.contains(range.endContainer)) {
      const quote = range.toString().trim().slice(0, 2000);
      return quote ? { field: "body", quote, start: null, end: null } : null;
    }
    const start = inside?.closest("[data-field]");
    if (!start || !start.contains(range.endContainer)) return null;
    const before = document.createRange();
    before.selectNodeContents(start);
    before.setEnd(range.startContainer, range.startOffset);
    const quote = range.toString();
    const from = [...before.toString()].length + (quote.length - quote.trimStart().length);
    const trimmed = quote.trim();
    const words = wordsOf(range.cloneContents());
    return trimmed ? { field: start.dataset.field, quote: words.slice(0, 2000), start: from, end: from + [...trimmed].length } : null;
  }

  document.addEventListener("pointerup", (event) => {
    const card = (event.target instanceof Element && event.target.closest("[data-row]")) || judge.deck?.current;
    if (!box(card) || !(event.target instanceof Element) || !event.target.closest("[data-document]")) return;
    const selection = getSelection();
    if (selection.isCollapsed || selection.rangeCount === 0) return;
    const passage = passageOf(selection.getRangeAt(0));
    if (passage) add(card, [passage]);
  });

  // --- by keyboard: a list of the sentences ------------------------------------------------------------------

  function sentencesIn(text, at) {
    if (!window.Intl?.Segmenter) return [[text, at]];
    const found = new Intl.Segmenter(undefined, { granularity: "sentence" }).segment(text);
    return [...found].map((one) => [one.segment, at + one.index]);
  }
  function* sentencesOf(card) {
    for (const holder of card.querySelectorAll("[data-document] [data-field]")) {
      const text = holder.textContent;
      for (const [part, index] of blocksOf(holder).flatMap(([block, at]) => sentencesIn(block, at))) {
        const quote = part.trim();
        const lead = index + part.length - part.trimStart().length;
        const start = [...text.slice(0, lead)].length;
        if (quote) yield { field: holder.dataset.field, quote: quote.slice(0, 2000), start, end: start + [...quote].length };
      }
    }
  }

  function choose(row) {
    const card = row ?? judge.deck.current;
    if (!box(card) || !sentences) return false;
    const all = [...sentencesOf(card)].slice(0, 200);
    const taken = new Set(read(card).map((one) => `${one.field} ${one.start}`));
    const rows = all.map((passage, nth) => {
      const label = document.createElement("label");
      label.className = "choice";
      label.dir = "auto";
      const tick = document.createElement("input");
      Object.assign(tick, { type: "checkbox", value: String(nth), checked: taken.has(`${passage.field} ${passage.start}`) });
      label.append(tick, " ", passage.quote);
      return label;
    });
    sentences.querySelector("[data-sentences]").replaceChildren(...rows);
    sentences.returnValue = "";
    sentences.onclose = () => {
      if (sentences.returnValue !== "take") return;
      const chosen = [...sentences.querySelectorAll("input:checked")].map((tick) => all[Number(tick.value)]);
      const listed = new Set(all.map((one) => `${one.field} ${one.start}`));
      const others = read(card).filter((one) => !listed.has(`${one.field} ${one.start}`));
      write(card, [...others, ...chosen].slice(0, MOST));
      box(card).open = true;
      judge.say(`${chosen.length} passage${chosen.length === 1 ? "" : "s"} chosen.`);
    };
    sentences.showModal();
    sentences.querySelector("input")?.focus();
    return true;
  }

  judge.evidence = {
    choose,
    prepare(card) {
      if (!box(card)) return;
      for (const part of box(card).querySelectorAll("[data-evidence-help], [data-command=evidence]")) part.hidden = false;
      box(card).querySelector("textarea").hidden = true;
      // On a phone it would cover the document; a grade that needs it opens it.
      if (matchMedia("(max-width: 50rem)").matches && !read(card).length) box(card).open = false;
      draw(card);
    },
    // Whether this grade has the passage that it needs.
    enough(form, grade) {
      const fold = form.querySelector("[data-evidence]");
      if (!fold || fold.dataset.rule !== "required") return true;
      const needed = JSON.parse(fold.dataset.grades || "[]");
      if (needed.length && !needed.includes(Number(grade))) return true;
      const enough = JSON.parse(form.querySelector("input[name=evidence]").value || "[]").length > 0;
      if (!enough) fold.open = true;
      return enough;
    },
  };
})();
