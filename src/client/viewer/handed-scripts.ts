import { readParentMessage, requestScript } from "./messages.ts";
import { isSandboxed } from "./sandboxed-worker.ts";

/** Time allowed for the framing page to list its scripts; a page of an older release never does. */
const LIST_TIMEOUT_MS = 2_000;

/**
 * Lets the framing page fetch the viewer's scripts. A sandboxed page has no HTTP cache but the framing page has one, so a
 * second opening needs no download. This page fetches the scripts that the framing page does not offer or could not load,
 * and OHIF's other, small files (styles, fonts, worker scripts).
 *
 * Returns `load`, which adds a script to the page as soon as it has arrived, and calls back once it has run.
 */
export function loadScriptsFromParent(): (address: string, done: () => void) => void {
  if (isSandboxed() && window.parent !== window) redirectScripts(createHandedScripts());
  return (address, done) => {
    const script = document.createElement("script");
    script.addEventListener("load", done);
    script.src = address;
    document.head.append(script);
  };
}

interface HandedScripts {
  /** The script's address: a blob of the handed script, or else its usual URL. */
  addressOf(address: string): Promise<string>;
  /** Requests a script ahead of its use. */
  expect(address: string): void;
}

function createHandedScripts(): HandedScripts {
  const offered = Promise.withResolvers<ReadonlySet<string>>();
  const addresses = new Map<string, PromiseWithResolvers<string>>();
  setTimeout(() => offered.resolve(new Set()), LIST_TIMEOUT_MS);
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
    requestScript(pathname);
    return await asked.promise;
  }
  return { addressOf, expect: (address) => void addressOf(address) };
}

/**
 * OHIF's loader creates script elements and sets their address; the address is applied once the script has arrived. OHIF's
 * prefetches would need a cache that this page lacks, so they become requests to the framing page.
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
