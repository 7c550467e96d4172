import { describe, expect, test } from "bun:test";
import {
  createViewerScripts,
  warmViewerScripts,
} from "../../../src/client/features/viewer/viewer-scripts.ts";
import {
  type ParentMessage,
  readParentMessage,
  readScriptRequest,
} from "../../../src/client/viewer/messages.ts";

const LISTED = ["/viewer/abc/app.js", "/viewer/abc/1.js"];

/** A viewer that only listens, with the fetches made for it. */
function opened(list: () => Response = () => Response.json(LISTED)) {
  const told: ParentMessage[] = [];
  const fetched: string[] = [];
  const viewer = {
    postMessage(data: unknown) {
      const message = readParentMessage(data);
      if (message) told.push(message);
    },
  } as Window;
  const scripts = createViewerScripts({
    get: async (path) => {
      if (path === "/viewer/opening.json") return Response.json([]);
      fetched.push(path);
      return path === "/viewer/scripts.json" ? list() : new Response(`// ${path}`);
    },
  });
  return {
    told,
    fetched,
    viewer,
    scripts,
    ask: (path: unknown) => scripts.answer(viewer, { viewerWants: path }),
  };
}

describe("a sandboxed viewer", () => {
  test("receives the list of scripts, and each script that it requests", async () => {
    const { told, viewer, scripts, ask } = opened();
    await scripts.offer(viewer);
    await ask("/viewer/abc/1.js");
    expect(told[0]).toEqual({ kind: "offer", paths: LISTED });
    const [, script] = told;
    if (script?.kind !== "script") throw new Error("no script was handed over");
    expect([script.path, new TextDecoder().decode(script.bytes ?? undefined)]).toEqual([
      "/viewer/abc/1.js",
      "// /viewer/abc/1.js",
    ]);
  });

  test("receives only scripts that the build lists: no API answer, no other host, no path tricks", async () => {
    const { fetched, told, ask } = opened();
    const wishes = [
      "/api/auth/me",
      "https://example.com/",
      "//example.com/viewer/abc/1.js",
      "/viewer/abc/../../api/users",
      "/viewer/abc/1.js?t=1",
      "/VIEWER/abc/1.js",
      "",
      7,
      null,
      ["/viewer/abc/1.js"],
      { toString: () => "/viewer/abc/1.js" },
    ];
    for (const wish of wishes) await ask(wish);
    expect(fetched).toEqual(["/viewer/scripts.json"]);
    expect(told).toEqual([]);
  });

  test("receives a script at most twice, however often it requests it", async () => {
    const { fetched, ask } = opened();
    for (let times = 0; times < 20; times++) await ask("/viewer/abc/1.js");
    expect(fetched.filter((path) => path === "/viewer/abc/1.js")).toHaveLength(2);
  });

  test("receives no offer without a list, and learns of a script that failed to load", async () => {
    for (const list of [() => new Response(null, { status: 404 }), () => Response.json({ not: "a list" })]) {
      const { told, viewer, scripts } = opened(list);
      await scripts.offer(viewer);
      expect(told).toEqual([{ kind: "offer", paths: [] }]);
    }
    const { told, viewer } = opened();
    const scripts = createViewerScripts({
      get: (path) =>
        path.endsWith(".json")
          ? Promise.resolve(Response.json(LISTED))
          : Promise.reject(new TypeError("no network")),
    });
    await scripts.answer(viewer, { viewerWants: LISTED[0] });
    expect(told).toEqual([{ kind: "script", path: "/viewer/abc/app.js", bytes: null }]);
  });

  test("can request a script only by its path", () => {
    for (const data of [undefined, null, "x", {}, { viewerWants: 1 }, { viewer: "begun" }])
      expect(readScriptRequest(data)).toBeUndefined();
  });
});

describe("an opening of the viewer", () => {
  const opening = [
    ["/viewer/abc/app.js", 3_000],
    ["/viewer/abc/1.js", 1_000],
  ];

  /** The percentages told while the scripts arrive in pieces of 500 bytes. */
  async function percentages(paths: readonly string[], parts: unknown = opening): Promise<number[]> {
    const told: number[] = [];
    const scripts = createViewerScripts({
      onProgress: (percent) => told.push(percent),
      get: async (path) => {
        if (path === "/viewer/scripts.json") return Response.json([...LISTED, "/viewer/abc/2.js"]);
        if (path === "/viewer/opening.json") return Response.json(parts);
        const sizeBytes = path === "/viewer/abc/app.js" ? 3_000 : 1_000;
        return new Response(
          new ReadableStream<Uint8Array<ArrayBuffer>>({
            start(controller) {
              for (let at = 0; at < sizeBytes; at += 500) controller.enqueue(new Uint8Array(500));
              controller.close();
            },
          }),
        );
      },
    });
    const viewer = { postMessage: () => undefined } as unknown as Window;
    for (const path of paths) await scripts.answer(viewer, { viewerWants: path });
    return told;
  }

  test("tells how much of its scripts has arrived, piece by piece", async () => {
    expect(await percentages(LISTED)).toEqual([12, 25, 37, 50, 62, 75, 87, 100]);
  });

  test("counts no script twice, and none that an opening doesn't need", async () => {
    const twice = ["/viewer/abc/1.js", "/viewer/abc/2.js", "/viewer/abc/1.js"];
    expect(await percentages(twice)).toEqual([12, 25]);
  });

  test("tells nothing if the server does not say what it needs, or says nonsense", async () => {
    for (const parts of [{}, "x", [["/viewer/abc/app.js"], [7, 7], ["/viewer/abc/app.js", -1], null]])
      expect(await percentages(LISTED, parts)).toEqual([]);
  });
});

describe("an idle list", () => {
  const needed = ["app.bundle.b.js", "1.bundle.a.js", "2.bundle.d.js"];

  async function warmed(answer: (path: string) => Response | undefined, ended = new AbortController()) {
    const fetched: string[] = [];
    await warmViewerScripts(ended.signal, async (path) => {
      if (path === "/viewer/opening.json")
        return Response.json(needed.map((name) => [`/viewer/abc/${name}`, 9]));
      fetched.push(path.slice("/viewer/abc/".length));
      return answer(path) ?? new Response("//");
    });
    return fetched;
  }

  test("fetches the scripts of an opening ahead, in the order of their use", async () => {
    expect(await warmed(() => undefined)).toEqual(needed);
  });

  test("stops at the first script that does not come, and when the person leaves", async () => {
    expect(await warmed(() => new Response(null, { status: 503 }))).toEqual(["app.bundle.b.js"]);
    const ended = new AbortController();
    const leave = () => {
      ended.abort();
      return undefined;
    };
    expect(await warmed(leave, ended)).toEqual(["app.bundle.b.js"]);
  });
});
