const STORAGE_KEY = "viewer.access";

/** The study a viewer page is locked to, and the token that opens it. */
export interface ViewerAccess {
  studyInstanceUIDs: string;
  token: string;
}

interface Browser {
  location: { href: string };
  history: Pick<History, "replaceState">;
  sessionStorage: Pick<Storage, "getItem" | "setItem">;
}

/**
 * Removes the token from the address (`?t=`), so that it is neither seen nor shared, and keeps it for a reload of this
 * tab. A kept token is used only for its own study. A sandboxed page keeps nothing across a reload, not even the state of
 * its history: the application frames it again with another token.
 */
export function takeAccess({ location, history, sessionStorage }: Browser): ViewerAccess | undefined {
  const url = new URL(location.href);
  const studyInstanceUIDs = url.searchParams.get("StudyInstanceUIDs") ?? "";
  const token = url.searchParams.get("t");
  if (token) {
    const access = { studyInstanceUIDs, token };
    sessionStorage.setItem(STORAGE_KEY, JSON.stringify(access));
    url.searchParams.delete("t");
    history.replaceState(null, "", url.href);
    return access;
  }
  const kept = parseAccess(sessionStorage.getItem(STORAGE_KEY));
  return kept && kept.studyInstanceUIDs === studyInstanceUIDs ? kept : undefined;
}

function parseAccess(text: string | null): ViewerAccess | undefined {
  if (text === null) return undefined;
  const [studyInstanceUIDs, token] = Object.values<unknown>(JSON.parse(text));
  if (typeof studyInstanceUIDs !== "string" || typeof token !== "string") return undefined;
  return { studyInstanceUIDs, token };
}
