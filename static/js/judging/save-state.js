// The line about saving in the footer, and the text about kept judgments for the bar.
const LEVELS = { idle: "", session: "error", account: "error", gone: "error" };

export function describeState({ kind, detail, saved, count, durable }) {
  const here = `${count} judgment${count === 1 ? "" : "s"} kept ${durable ? "on this device" : "in this tab only"}`;
  const kept = `${here}, will be sent`;
  const line = {
    idle: "",
    saving: detail === "slow" ? `Still saving – ${here}` : "Saving…",
    saved: saved ? `${saved.text} ${saved.at}` : "",
    offline: count ? `Offline – ${kept}` : "Offline",
    session: count ? `Signed out – ${kept}` : "Signed out",
    account: `Another account – ${here}`,
    error: count ? `Not saved – ${kept}` : "The server doesn’t answer",
    gone: "This list is no longer open to you",
  }[kind];
  return { line, kept, level: LEVELS[kind] ?? kind, isTrouble: !["idle", "saving", "saved"].includes(kind) };
}
