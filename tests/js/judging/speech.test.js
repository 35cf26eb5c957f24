import assert from "node:assert/strict";
import test from "node:test";

import { Speech } from "../../../static/js/judging/speech.js";

function makeSpeech(context) {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const said = [];
  let now = 0;
  const speech = new Speech((text) => said.push(text), { now: () => now });
  const pass = (ms) => {
    now += ms;
    context.mock.timers.tick(ms);
  };
  return { speech, said, pass };
}

test("a card is said together with what became of the last answer", (context) => {
  const { speech, said, pass } = makeSpeech(context);
  speech.sayCard("Document 2.");
  pass(400);
  speech.sayWithCard("Saved.");
  pass(5000);

  assert.deepEqual(said, ["Saved. Document 2."]);
});

test("or alone when that takes long", (context) => {
  const { speech, said, pass } = makeSpeech(context);
  speech.sayCard("Document 2.");
  pass(1500);
  pass(5000);
  speech.sayWithCard("Saved.");

  assert.deepEqual(said, ["Document 2.", "Saved."]);
});

test("what interrupts a card that is being read out says it again", (context) => {
  const { speech, said, pass } = makeSpeech(context);
  speech.sayCard("Document 2.");
  pass(1500);
  pass(1000);
  speech.sayWithCard("Saved.");

  assert.deepEqual(said, ["Document 2.", "Saved. Document 2."]);
});
