import { describe, expect, test } from "bun:test";
import { createViewerScripts } from "../../../src/client/features/viewer/viewer-scripts.ts";
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
  const scripts = createViewerScripts(async (path) => {
    fetched.push(path);
    return path === "/viewer/scripts.json" ? list() : new Response(`// ${path}`);
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
    const scripts = createViewerScripts((path) =>
      path.endsWith(".json")
        ? Promise.resolve(Response.json(LISTED))
        : Promise.reject(new TypeError("no network")),
    );
    await scripts.answer(viewer, { viewerWants: LISTED[0] });
    expect(told).toEqual([{ kind: "script", path: "/viewer/abc/app.js", bytes: null }]);
  });

  test("can request a script only by its path", () => {
    for (const data of [undefined, null, "x", {}, { viewerWants: 1 }, { viewer: "begun" }])
      expect(readScriptRequest(data)).toBeUndefined();
  });
});
