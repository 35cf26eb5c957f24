// The line about saving in the footer, and the text about kept judgments for the bar.
const LEVELS = { idle: "", session: "error", account: "error", gone: "error" };

// Of what waits, `count`; unless all of it is answers (`areJudgments`), as with Later and Undo, it is called changes.
export function describeState({ kind, detail, saved, count, areJudgments, durable }) {
  const noun = areJudgments ? "judgment" : "change";
  const [acts, are] = count === 1 ? [`1 ${noun}`, "is"] : [`${count} ${noun}s`, "are"];
  const place = durable ? "on this device" : "in this tab only";
  const here = `${acts} kept ${place}`;
  const kept = count ? `${acts} ${are} kept ${place}` : "";
  const line = {
    idle: "",
    saving: detail === "slow" && count ? `Still saving – ${here}` : "Saving…",
    saved: saved ? `${saved.text} ${saved.at}` : "",
    offline: count ? `Offline – ${here}, will be sent` : "Offline",
    session: count ? `Signed out – ${here}, will be sent` : "Signed out",
    account: count ? `Another account – ${here}` : "Another account",
    error: count ? `Not saved – ${here}, will be sent` : `The server answered ${detail.status}`,
    gone: "This list is no longer open to you",
  }[kind];
  return { line, kept, level: LEVELS[kind] ?? kind, isTrouble: isTroubled(kind) };
}

export const isTroubled = (kind) => !["idle", "saving", "saved"].includes(kind);
