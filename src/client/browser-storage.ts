import { parseJson } from "./parse-json.ts";

/** Web storage as far as the browser allows it. If it is blocked or full, nothing is kept and nothing fails. */
export interface BrowserStorage {
  read(key: string): string | undefined;
  /** The stored JSON value; undefined if it is missing or unreadable. */
  readJson(key: string): unknown;
  /** An undefined value removes the entry. */
  write(key: string, value: string | undefined): void;
}

export const localStore = browserStorage(() => window.localStorage);
export const sessionStore = browserStorage(() => window.sessionStorage);

function browserStorage(open: () => Storage): BrowserStorage {
  const read = (key: string) => attempt(() => open().getItem(key) ?? undefined);
  return {
    read,
    readJson(key) {
      const text = read(key);
      return text === undefined ? undefined : parseJson(text);
    },
    write(key, value) {
      attempt(() => (value === undefined ? open().removeItem(key) : open().setItem(key, value)));
    },
  };
}

/** A blocked store throws SecurityError, a full one QuotaExceededError: both DOMException. */
function attempt<Result>(action: () => Result): Result | undefined {
  try {
    return action();
  } catch (error) {
    if (error instanceof DOMException) return undefined;
    throw error;
  }
}
