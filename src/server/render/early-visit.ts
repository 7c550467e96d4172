import { openVisitCall } from "../../shared/api/links.ts";
import { type BegunVisit, visitPlaces } from "../../shared/begun-visit.ts";

/**
 * Opens the link of the page's address while the client's modules are on their way, unless this tab has opened it before. Its own source
 * text is sent, so it must not refer to anything outside of itself.
 */
function beginVisit({ method, path }: { method: string; path: string }, places: typeof visitPlaces): void {
  const [, link] = /^\/v\/([^/]+)$/.exec(location.pathname) ?? [];
  const secret = location.hash.slice(1);
  if (!link || !secret) return;
  const random = () =>
    Array.from(crypto.getRandomValues(new Uint8Array(24)), (byte) => byte.toString(16).padStart(2, "0")).join(
      "",
    );
  let attempt: string | undefined;
  try {
    if (sessionStorage.getItem(places.token + link) !== null) return;
    attempt = sessionStorage.getItem(places.attempt + link) ?? random();
    sessionStorage.setItem(places.attempt + link, attempt);
  } catch {
    // Storage is blocked or full: the client keeps the attempt.
    attempt ??= random();
  }
  const answer = fetch(path, {
    method,
    headers: { "Accept-Language": document.documentElement.lang, "Content-Type": "application/json" },
    body: JSON.stringify({ link, secret, attempt }),
    credentials: "same-origin",
  });
  // The client hears of a failure when it takes the answer.
  answer.catch(() => undefined);
  const begun: BegunVisit = { link, attempt, answer };
  Object.assign(window, { [places.begun]: begun });
}

/** The text of an inline script, which runs behind the one of the preferences. */
export function earlyVisitScript(): string {
  const { method, path } = openVisitCall;
  return `(${beginVisit})(${JSON.stringify({ method, path })},${JSON.stringify(visitPlaces)})`;
}
