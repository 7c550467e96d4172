import { askForScript, readParentMessage } from "./messages.ts";
import { isSandboxed } from "./sandboxed-worker.ts";

/** So long the page that frames this one may take to say which scripts it has; one of an older release says nothing. */
const LIST_PATIENCE_MS = 2_000;

/**
 * Has the page that frames this one fetch the viewer's scripts. A sandboxed page has no HTTP cache, and the page around it
 * has one: so a second opening fetches them no more. What that page does not offer, or could not get, is fetched from
 * here. Whatever else OHIF loads (styles, fonts, scripts of workers) is small and fetched from here as well.
 *
 * Answers `load`, which adds a script to the page as soon as it is here, and calls back once it has run.
 */
export function takeScriptsFromParent(): (address: string, done: () => void) => void {
  if (isSandboxed() && window.parent !== window) redirectScripts(createHandedScripts());
  return (address, done) => {
    const script = document.createElement("script");
    script.addEventListener("load", done);
    script.src = address;
    document.head.append(script);
  };
}

interface HandedScripts {
  /** Where the script is to be had: here, once it was handed over, or else where it always is. */
  addressOf(address: string): Promise<string>;
  /** Asks for it, for it will be wanted. */
  expect(address: string): void;
}

function createHandedScripts(): HandedScripts {
  const offered = Promise.withResolvers<ReadonlySet<string>>();
  const addresses = new Map<string, PromiseWithResolvers<string>>();
  setTimeout(() => offered.resolve(new Set()), LIST_PATIENCE_MS);
  window.addEventListener("message", ({ source, data }) => {
    const message = source === window.parent ? readParentMessage(data) : undefined;
    if (message?.kind === "offer") offered.resolve(new Set(message.paths));
    if (message?.kind !== "script") return;
    const { path, bytes } = message;
    const blob = bytes && new Blob([bytes], { type: "text/javascript" });
    addresses.get(path)?.resolve(blob ? URL.createObjectURL(blob) : new URL(path, location.origin).href);
  });

  async function addressOf(address: string): Promise<string> {
    const { href, origin, pathname } = new URL(address, location.origin);
    if (origin !== location.origin || !(await offered.promise).has(pathname)) return href;
    const known = addresses.get(pathname);
    if (known) return await known.promise;
    const asked = Promise.withResolvers<string>();
    addresses.set(pathname, asked);
    askForScript(pathname);
    return await asked.promise;
  }
  return { addressOf, expect: (address) => void addressOf(address) };
}

/**
 * OHIF's own loader makes elements and gives them an address; they get it once the script is here. What it would have
 * prefetched into a cache that this page does not have is asked for instead.
 */
function redirectScripts({ addressOf, expect }: HandedScripts): void {
  replaceSetter(HTMLScriptElement.prototype, "src", (script, address, set) => {
    void addressOf(address).then((found) => set.call(script, found));
  });
  replaceSetter(HTMLLinkElement.prototype, "href", (link, address, set) => {
    if (link.rel !== "prefetch") set.call(link, address);
    else if (/\.js$/.test(address)) expect(address);
  });
}

type AddressSetter<E> = (this: E, address: string) => void;

function replaceSetter<E extends object>(
  prototype: E,
  name: string,
  give: (element: E, address: string, set: AddressSetter<E>) => void,
): void {
  const own = Object.getOwnPropertyDescriptor(prototype, name);
  const { set } = own ?? {};
  if (!own || !set) return;
  Object.defineProperty(prototype, name, {
    ...own,
    set(this: E, address: unknown) {
      give(this, String(address), set);
    },
  });
}
