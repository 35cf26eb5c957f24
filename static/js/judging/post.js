// One POST of the rating screen. Status 0: nobody answered.
import { csrfToken } from "../csrf.js";

const TIMEOUT_MS = 20_000;

export async function post(url, fields, { keepalive = false } = {}) {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.append(name, value ?? "");
  const token = csrfToken() ?? document.querySelector("[name=csrfmiddlewaretoken]")?.value ?? "";
  body.set("csrfmiddlewaretoken", token); // signing in anew changed it, and the form's own comes before the header
  try {
    const response = await fetch(url, {
      method: "POST",
      body,
      // HX-Request: an ended session answers 401 and never a sign-in page.
      headers: { Accept: "application/json", "HX-Request": "true", "X-CSRFToken": token },
      keepalive,
      signal: AbortSignal.timeout?.(TIMEOUT_MS),
    });
    const json = response.headers.get("Content-Type")?.includes("json");
    return { status: response.status, content: json ? await response.json() : null };
  } catch {
    return { status: 0, content: null };
  }
}

// A part of a page; null where it could not be had. `onSignedOut` hears that the session has ended.
export async function get(url, { accept = "text/html", onSignedOut = () => {} } = {}) {
  const response = await fetch(url, { headers: { Accept: accept, "HX-Request": "true" } }).catch(() => null);
  if (response?.status === 401) onSignedOut();
  return response?.ok ? response : null;
}
