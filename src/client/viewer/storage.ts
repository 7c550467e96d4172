const STORAGES = ["localStorage", "sessionStorage"] as const;

/**
 * Gives the page storages and cookies in memory if the browser refuses them, as it does for a sandboxed page and for a
 * frame of another site while third-party cookies are blocked. OHIF uses both without checking.
 */
export function ensureStorage(page: { document: object }): void {
  for (const name of STORAGES) {
    if (!isRefused(page, name)) continue;
    Object.defineProperty(page, name, { value: createMemoryStorage(), configurable: true });
  }
  if (!isRefused(page.document, "cookie")) return;
  // Cookies are discarded: our code reads none, and OHIF's language detector has other sources.
  Object.defineProperty(page.document, "cookie", { get: () => "", set: () => {}, configurable: true });
}

/** Reading the property of a refused storage throws. */
function isRefused(owner: object, name: string): boolean {
  try {
    Reflect.get(owner, name);
    return false;
  } catch (error) {
    if (error instanceof DOMException && error.name === "SecurityError") return true;
    throw error;
  }
}

function createMemoryStorage(): Storage {
  const items = new Map<string, string>();
  return {
    get length() {
      return items.size;
    },
    key: (index) => [...items.keys()][index] ?? null,
    getItem: (name) => items.get(name) ?? null,
    setItem: (name, value) => void items.set(name, String(value)),
    removeItem: (name) => void items.delete(name),
    clear: () => items.clear(),
  };
}
