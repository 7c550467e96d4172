import { expect, test } from "bun:test";
import type { AssetSource } from "../../../src/server/render/assets.ts";
import type { ClientGraph } from "../../../src/server/render/client-graph.ts";
import { serviceWorkerScript } from "../../../src/server/render/service-worker.ts";

const graph = {
  ...{ entry: "/assets/boot-1.js", styles: ["/assets/index-1.css"], fonts: [], icon: "/assets/icon-1.svg" },
  marks: { storage: "/assets/imagestorage-1.png" },
  islands: { auth: ["/assets/auth-1.js"], his: ["/assets/his-1.js"], verify: ["/assets/verify-1.js"] },
  locales: { "pt-BR": "/assets/pt-1.js", "en-US": "/assets/en-1.js" },
  hisLocales: { "pt-BR": "/assets/his-pt-1.js", "en-US": "/assets/his-en-1.js" },
} as unknown as ClientGraph;
const assets: AssetSource = {
  get: () => undefined,
  paths: () => ["graph.json", "study-list-view-1.js", "pdf-view-1.js"],
};
const ORIGIN = "https://exames.example";

interface Route {
  condition: { urlPattern: string };
  source: string;
}

type Listener = (event: object) => void;

/** A browser around the worker's script: its caches, and a network that can be cut. */
async function startWorker(installing: { addRoutes?: (routes: Route[]) => Promise<void> } = {}) {
  const listeners: Record<string, Listener> = {};
  const kept = new Map<string, Map<string, Response>>();
  const network = { isCut: false, asked: [] as string[] };
  const fetch = async (asked: Request | string) => {
    const path = new URL(typeof asked === "string" ? asked : asked.url, ORIGIN).pathname;
    if (network.isCut) throw new TypeError("failed to fetch");
    network.asked.push(path);
    return new Response(`content of ${path}`);
  };
  const open = async (name: string) => {
    const entries = kept.get(name) ?? new Map<string, Response>();
    kept.set(name, entries);
    return {
      put: async (key: string, answer: Response) => void entries.set(key, answer),
      addAll: async (paths: string[]) => {
        for (const path of paths) entries.set(path, await fetch(path));
      },
    };
  };
  const caches = {
    open,
    keys: async () => [...kept.keys()],
    delete: async (name: string) => kept.delete(name),
    match: async (key: string) => [...kept.values()].flatMap((entries) => entries.get(key)?.clone() ?? [])[0],
  };
  const scope = {
    ...{
      location: { origin: ORIGIN },
      clients: { claim: async () => undefined },
      skipWaiting: async () => undefined,
    },
    addEventListener: (name: string, listener: Listener) => {
      listeners[name] = listener;
    },
  };
  await open("shell-of-an-older-build");
  await open("of-something-else");
  new Function("globalThis", "caches", "fetch", serviceWorkerScript(graph, assets))(scope, caches, fetch);
  const dispatch = async (name: string, event: object = {}) => {
    const work: Promise<unknown>[] = [];
    listeners[name]?.({ ...event, waitUntil: (one: Promise<unknown>) => work.push(one) });
    await Promise.all(work);
  };
  await dispatch("install", installing);
  await dispatch("activate");
  const ask = async (path: string, mode = "cors") => {
    let answer: Promise<Response> | undefined;
    const request = { url: new URL(path, ORIGIN).href, method: "GET", mode };
    await dispatch("fetch", {
      request,
      respondWith: (given: Promise<Response>) => {
        answer = given;
      },
    });
    return answer && (await (await answer).text());
  };
  return { ask, dispatch, network, cacheNames: () => [...kept.keys()] };
}

test("without a connection /his and what it is drawn with come from the browser", async () => {
  const { ask, network } = await startWorker();
  network.isCut = true;
  expect(await ask("/his", "navigate")).toBe("content of /his");
  expect(await ask("/his/subscription", "navigate")).toBe("content of /his");
  expect(await ask("/imagestorage.png")).toBe("content of /imagestorage.png");
  for (const path of ["boot-1.js", "index-1.css", "his-1.js", "his-pt-1.js", "study-list-view-1.js"]) {
    expect(await ask(`/assets/${path}`)).toBe(`content of /assets/${path}`);
  }
});

test("calls, images, reports and other pages never pass through the browser's keeping", async () => {
  const { ask, network } = await startWorker();
  for (const path of [
    "/api/studies",
    "/api/studies/1/laudo",
    "/viewer/index.html",
    "/dicomweb/studies",
    "/his",
  ]) {
    expect(await ask(path)).toBeUndefined();
  }
  expect(await ask("/", "navigate")).toBeUndefined();
  expect(await ask("https://other.example/assets/boot-1.js")).toBeUndefined();
  expect(network.asked.filter((path) => !/^\/(his|imagestorage\.png|assets\/.+)$/.test(path))).toEqual([]);
});

test("calls and images go around the worker where the browser knows how", async () => {
  const routes: Route[] = [];
  await startWorker({ addRoutes: async (given) => void routes.push(...given) });
  const goesAround = (path: string) =>
    routes.some(
      ({ condition, source }) =>
        source === "network" && new URLPattern(condition.urlPattern, `${ORIGIN}/sw.js`).test(path, ORIGIN),
    );
  for (const path of ["/api/studies", "/dicomweb/t/1/studies/2/series/3/instances/4/frames/1"])
    expect(goesAround(path)).toBe(true);
  for (const path of ["/his", "/assets/boot-1.js", "/ver"]) expect(goesAround(path)).toBe(false);
});

test("a browser that refuses the routes keeps the page all the same", async () => {
  const { ask, network } = await startWorker({ addRoutes: () => Promise.reject(new TypeError("unknown")) });
  network.isCut = true;
  expect(await ask("/his", "navigate")).toBe("content of /his");
});

test("with a connection the page is the server's own, and a new build replaces what an older one kept", async () => {
  const { ask, network, cacheNames } = await startWorker();
  network.asked.length = 0;
  expect(await ask("/his", "navigate")).toBe("content of /his");
  expect(await ask("/assets/boot-1.js")).toBe("content of /assets/boot-1.js");
  expect(network.asked).toEqual(["/his"]);
  expect(cacheNames()).toHaveLength(2);
  expect(cacheNames()).toContain("of-something-else");
});

test("files that another app shares are held for the page that asks for them, once, and reach no network", async () => {
  const { dispatch, network } = await startWorker();
  network.asked.length = 0;
  const body = new FormData();
  body.append("files", new File(["bytes"], "exam.zip"));
  body.append("files", "no file");
  const { promise: answer, resolve } = Promise.withResolvers<Response>();
  const request = new Request(`${ORIGIN}/ver`, { method: "POST", body });
  const held = dispatch("fetch", { request, respondWith: resolve });
  const { status, headers } = await answer;
  expect([status, headers.get("location")]).toEqual([303, "/ver?shared"]);
  const take = () =>
    new Promise<File[]>((postMessage) => {
      void dispatch("message", { data: "take-shared-files", ports: [{ postMessage }] });
    });
  expect((await take()).map(({ name }) => name)).toEqual(["exam.zip"]);
  await held;
  expect(await take()).toEqual([]);
  expect(network.asked).toEqual([]);
});
