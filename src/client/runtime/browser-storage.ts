import { parseJson } from "./parse-json.ts";

/** Web storage as far as the browser allows it. If it is blocked or full, what is written lasts as long as the page, and nothing fails. */
export interface BrowserStorage {
  read(key: string): string | undefined;
  /** The stored JSON value; undefined if it is missing or unreadable. */
  readJson(key: string): unknown;
  /** An undefined value removes the entry. */
  write(key: string, value: string | undefined): void;
  /** The keys that the browser holds. */
  keys(): string[];
  /** Whether another page will read what this one wrote last. */
  outlivesPage(key: string): boolean;
}

export const localStore = browserStorage(() => window.localStorage);
export const sessionStore = browserStorage(() => window.sessionStorage);

function browserStorage(open: () => Storage): BrowserStorage {
  /** What the browser did not take. */
  const ofPage = new Map<string, string>();
  const read = (key: string) => ofPage.get(key) ?? attempt(() => open().getItem(key) ?? undefined);
  return {
    read,
    readJson(key) {
      const text = read(key);
      return text === undefined ? undefined : parseJson(text);
    },
    write(key, value) {
      ofPage.delete(key);
      const isTaken = attempt(() => {
        if (value === undefined) open().removeItem(key);
        else open().setItem(key, value);
        return true;
      });
      if (!isTaken && value !== undefined) ofPage.set(key, value);
    },
    keys: () => attempt(() => Object.keys(open())) ?? [],
    outlivesPage: (key) => !ofPage.has(key),
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
