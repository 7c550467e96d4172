const STORAGES = ["localStorage", "sessionStorage"] as const;

/**
 * Gives the page storages and cookies in memory where the browser refuses it any, as it does to a sandboxed page and
 * to a frame of another site while third-party cookies are blocked. OHIF uses them without asking.
 */
export function ensureStorage(page: { document: object }): void {
  for (const name of STORAGES) {
    if (!isRefused(page, name)) continue;
    Object.defineProperty(page, name, { value: createMemoryStorage(), configurable: true });
  }
  if (!isRefused(page.document, "cookie")) return;
  // What is set is forgotten: nothing of ours reads cookies, and OHIF's language detector finds its own elsewhere.
  Object.defineProperty(page.document, "cookie", { get: () => "", set: () => {}, configurable: true });
}

/** The mere look at a refused storage throws. */
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
