import type { AssetSource } from "./assets.ts";
import type { ClientGraph } from "./client-graph.ts";
import { LOCAL_VIEW_PATH, SHARED_FILES } from "./web-manifest.ts";

export const SERVICE_WORKER_PATH = "/sw.js";
/** The picture of the home page's card about storage. */
export const STORAGE_PICTURE_PATH = "/imagestorage.png";
const SHELL = "/his";
/** Patterns of what the worker never answers. */
const PASSING = ["/api/*", "/dicomweb/*", "/viewer/*", "/generate-token"];

/** What the worker uses of its global scope; the types of the server have no service workers. */
interface WorkerScope {
  location: { origin: string };
  clients: { claim(): Promise<void> };
  skipWaiting(): Promise<void>;
  addEventListener(name: "install", listener: (event: InstallEvent) => void): void;
  addEventListener(name: "activate", listener: (event: LifeEvent) => void): void;
  addEventListener(name: "fetch", listener: (event: FetchEvent) => void): void;
  addEventListener(name: "message", listener: (event: MessageEvent & LifeEvent) => void): void;
}
interface LifeEvent {
  waitUntil(work: Promise<unknown>): void;
}
interface InstallEvent extends LifeEvent {
  /** Missing where the browser has no static routing (the Service Worker Static Routing API). */
  addRoutes?(routes: Route[]): Promise<void>;
}
interface Route {
  condition: { urlPattern: string };
  source: "network";
}
interface FetchEvent extends LifeEvent {
  request: Request;
  respondWith(answer: Promise<Response>): void;
}

/**
 * Runs in the browser: lets /his open without a connection. It keeps the page, which holds nothing of any person, and the
 * client's assets; calls, images and reports never pass through it. Files that another app shares are handed to the page that
 * shows them; they are never stored and never reach the server. Its own source text is sent, so it must not refer to anything
 * outside of itself.
 */
function keepShell(
  cacheName: string,
  shell: string,
  assets: string[],
  shared: { path: string; field: string },
  passing: string[],
): void {
  const scope = globalThis as unknown as WorkerScope;
  const prefix = "shell-";
  const isShell = (path: string) => path === shell || path.startsWith(`${shell}/`);

  // The browser starts the worker for none of these. Else each image of a scroll wakes it, and leaves it with a few kB to collect.
  const routes = passing.map((urlPattern): Route => ({ condition: { urlPattern }, source: "network" }));

  scope.addEventListener("install", (event) => {
    // A browser that refuses the routes asks the worker, which lets the calls pass.
    event.waitUntil(event.addRoutes?.(routes).catch(() => undefined) ?? Promise.resolve());
    const keep = async () => {
      const cache = await caches.open(cacheName);
      await cache.addAll([...assets, shell]);
      await scope.skipWaiting();
    };
    event.waitUntil(keep());
  });

  scope.addEventListener("activate", (event) => {
    const dropOlder = async () => {
      const names = (await caches.keys()).filter((name) => name.startsWith(prefix) && name !== cacheName);
      await Promise.all(names.map((name) => caches.delete(name)));
      await scope.clients.claim();
    };
    event.waitUntil(dropOlder());
  });

  const heldMs = 60_000;
  let held: File[] = [];
  let letGo = () => {};
  const takeShared = async (request: Request) => {
    const form = await request.formData();
    held = form.getAll(shared.field).filter((one) => one instanceof File);
    return new Response(null, { status: 303, headers: { Location: `${shared.path}?shared` } });
  };
  /** Keeps the worker alive until the page has the files, or is not coming for them. */
  const untilTaken = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(() => letGo(), heldMs);
      letGo = () => {
        clearTimeout(timer);
        held = [];
        resolve();
      };
    });
  scope.addEventListener("message", ({ data, ports }) => {
    if (data !== "take-shared-files") return;
    ports[0]?.postMessage(held);
    letGo();
  });

  scope.addEventListener("fetch", (event) => {
    const { request } = event;
    const { origin, pathname } = new URL(request.url);
    if (request.method === "POST" && origin === scope.location.origin && pathname === shared.path) {
      event.waitUntil(untilTaken());
      event.respondWith(takeShared(request));
      return;
    }
    if (request.method !== "GET" || origin !== scope.location.origin) return;
    const keep = async (key: string, answer: Response) => {
      const copy = answer.clone();
      const cache = await caches.open(cacheName);
      await cache.put(key, copy);
    };
    const readAsset = async () => {
      const kept = await caches.match(pathname);
      if (kept) return kept;
      const answer = await fetch(request);
      if (answer.ok) event.waitUntil(keep(pathname, answer));
      return answer;
    };
    const readShell = async () => {
      try {
        const answer = await fetch(request);
        if (answer.ok) event.waitUntil(keep(shell, answer));
        return answer;
      } catch (error) {
        const kept = await caches.match(shell);
        if (kept) return kept;
        throw error;
      }
    };
    if (pathname.startsWith("/assets/") || assets.includes(pathname)) event.respondWith(readAsset());
    else if (request.mode === "navigate" && isShell(pathname)) event.respondWith(readShell());
  });
}

/** The worker's script. It changes with every build, so that browsers replace what they keep. */
export function serviceWorkerScript(graph: ClientGraph, assets: AssetSource): string {
  const { entry, styles, fonts, icon, marks, islands, locales, hisLocales } = graph;
  const list = assets.paths().filter((path) => /^study-list-view-\w+\.(js|css)$/.test(path));
  const kept = [entry, icon, ...styles, ...fonts, ...islands.his, ...list.map((path) => `/assets/${path}`)];
  const paths = [
    ...new Set([...kept, ...Object.values(locales), ...Object.values(hisLocales)]),
    STORAGE_PICTURE_PATH,
  ];
  const shared = { path: LOCAL_VIEW_PATH, field: SHARED_FILES };
  const cacheName = `shell-${Bun.hash([...paths, marks.storage].join()).toString(36)}`;
  return `(${keepShell})(${[cacheName, SHELL, paths, shared, PASSING].map((value) => JSON.stringify(value)).join(",")});\n`;
}
