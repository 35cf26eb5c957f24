// What the foot says of saving: the line itself, and what is kept, for the bar.
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
    error: count ? `Not saved – ${kept}` : "The server does not answer",
    gone: "This list is not open to you any more",
  }[kind];
  return { line, kept, level: LEVELS[kind] ?? kind, isTrouble: !["idle", "saving", "saved"].includes(kind) };
}
