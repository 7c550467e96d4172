import { type Picked, pickFiles } from "../pick/picked-files.ts";

const WAIT_MS = 10_000;

/**
 * The files that another app shared with this one. The service worker holds them until this page has asked for them.
 * Undefined if there are none any more.
 */
export function takeSharedFiles(): Promise<Picked | undefined> {
  const { promise, resolve } = Promise.withResolvers<Picked | undefined>();
  const { serviceWorker } = navigator;
  const timer = setTimeout(() => resolve(undefined), WAIT_MS);
  const worker = serviceWorker?.controller;
  if (!worker) resolve(undefined);
  else {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }: MessageEvent<unknown>) => {
      const files = Array.isArray(data) ? data.filter((one) => one instanceof File) : [];
      resolve(files.length > 0 ? pickFiles(files) : undefined);
    };
    worker.postMessage("take-shared-files", [port2]);
  }
  return promise.finally(() => clearTimeout(timer));
}
