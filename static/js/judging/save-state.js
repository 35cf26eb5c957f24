// The line about saving in the footer, and the text about kept judgments for the bar.
const LEVELS = { idle: "", session: "error", account: "error", gone: "error" };

export function describeState({ kind, detail, saved, count, durable }) {
  const [judgments, are] = count === 1 ? ["1 judgment", "is"] : [`${count} judgments`, "are"];
  const place = durable ? "on this device" : "in this tab only";
  const here = `${judgments} kept ${place}`;
  const kept = `${judgments} ${are} kept ${place}`;
  const line = {
    idle: "",
    saving: detail === "slow" ? `Still saving – ${here}` : "Saving…",
    saved: saved ? `${saved.text} ${saved.at}` : "",
    offline: count ? `Offline – ${here}, will be sent` : "Offline",
    session: count ? `Signed out – ${here}, will be sent` : "Signed out",
    account: `Another account – ${here}`,
    error: count ? `Not saved – ${here}, will be sent` : "The server doesn’t answer",
    gone: "This list is no longer open to you",
  }[kind];
  return { line, kept, level: LEVELS[kind] ?? kind, isTrouble: !["idle", "saving", "saved"].includes(kind) };
}
