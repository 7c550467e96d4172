import { act } from "./dom.ts";

/** Takes the browser's connection away until disposed of, or until it is given back, of which the page hears. */
export function withoutConnection() {
  const isOnline = { now: false };
  Object.defineProperty(navigator, "onLine", { configurable: true, get: () => isOnline.now });
  return {
    async end() {
      isOnline.now = true;
      await act(async () => {
        window.dispatchEvent(new Event("online"));
      });
    },
    [Symbol.dispose]() {
      Reflect.deleteProperty(navigator, "onLine");
    },
  };
}
