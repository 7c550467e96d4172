import { GlobalRegistrator } from "@happy-dom/global-registrator";

// happy-dom's own versions of these lose cookies and headers and break Bun.serve.
const bunGlobals = {
  fetch,
  Request,
  Response,
  Headers,
  FormData,
  Blob,
  File,
  AbortController,
  AbortSignal,
  ReadableStream,
  WritableStream,
  TransformStream,
  WebSocket,
};

const before = Object.getOwnPropertyDescriptors(globalThis);
GlobalRegistrator.register({ url: "http://localhost/" });
Object.assign(globalThis, bunGlobals, { IS_REACT_ACT_ENVIRONMENT: true });
// Most tests read the product in Portuguese.
Object.defineProperty(navigator, "languages", { value: ["pt-BR"], configurable: true });
const after = Object.getOwnPropertyDescriptors(globalThis);

/** Makes this process look like a browser. */
export function installDom(): void {
  Object.defineProperties(globalThis, after);
}

/** Gives Bun its own globals back. */
export function removeDom(): void {
  for (const key of Reflect.ownKeys(after)) {
    const original = Object.getOwnPropertyDescriptor(before, key)?.value as PropertyDescriptor | undefined;
    if (original) Object.defineProperty(globalThis, key, original);
    else Reflect.deleteProperty(globalThis, key);
  }
}
