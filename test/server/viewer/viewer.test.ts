import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { Hono } from "hono";
import { createAssetFolder } from "../../../scripts/build/asset-folder.ts";
import { createViewerAssets } from "../../../src/server/features/viewer/viewer.assets.ts";
import { createViewerRoutes } from "../../../src/server/features/viewer/viewer.routes.ts";
import { separateOrigins } from "../../../src/server/features/viewer/viewer-origin.ts";
import { AppError } from "../../../src/server/http/app-error.ts";
import { folderAssets } from "../../../src/server/render/assets.ts";

const SCRIPT = `console.log("${"viewer ".repeat(400)}");`;
const PAGE = `<!doctype html><title>viewer</title>${"<p>".repeat(400)}`;
const SANDBOXED = `<!doctype html><title>viewer</title><meta name="viewer-entry" content="/viewer/abc/app.js">${"<p>".repeat(400)}`;

const folder = mkdtempSync(join(tmpdir(), "viewer-assets-"));

beforeAll(async () => {
  const assets = createAssetFolder({ folder, brotliQuality: 4 });
  await assets.add("index.html", Buffer.from(PAGE), { immutable: false });
  await assets.add("sandboxed.html", Buffer.from(SANDBOXED), { immutable: false });
  await assets.add("abc/app.js", Buffer.from(SCRIPT), { immutable: true });
  await assets.add("abc/tiny.css", Buffer.from("p{}"), { immutable: true });
  assets.finish();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function viewer(viewerOrigin?: string) {
  const assets = createViewerAssets({
    source: folderAssets(folder),
    publicOrigin: "https://exames.example",
    viewerOrigin,
  });
  return withProblems(new Hono()).route("/viewer", createViewerRoutes(assets));
}

function withProblems(app: Hono): Hono {
  return app.onError((error, c) => {
    if (!(error instanceof AppError)) throw error;
    return c.json({ code: error.kind.code }, error.kind.status);
  });
}

const get = (path: string, headers: Record<string, string> = {}, app = viewer()) =>
  app.request(`https://exames.example${path}`, { headers });

describe("the viewer's files", () => {
  test.each([
    ["br, gzip", "br", brotliDecompressSync],
    ["gzip", "gzip", gunzipSync],
    ["br;q=0", null, (bytes: Uint8Array) => bytes],
  ] as const)(
    "a browser that accepts %s gets the script so compressed, and may cache it",
    async (accepted, coding, unpack) => {
      const response = await get("/viewer/abc/app.js", { "accept-encoding": accepted });
      expect(response.headers.get("content-encoding")).toBe(coding);
      expect(response.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
      expect(response.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
      expect(response.headers.get("vary")).toBe("Accept-Encoding");
      expect(new TextDecoder().decode(unpack(new Uint8Array(await response.arrayBuffer())))).toBe(SCRIPT);
    },
  );

  test("a file too small to compress is sent as it is", async () => {
    const response = await get("/viewer/abc/tiny.css", { "accept-encoding": "br" });
    expect(response.headers.get("content-encoding")).toBeNull();
    expect(await response.text()).toBe("p{}");
  });

  test("a file that the browser has cached is not sent again", async () => {
    const first = await get("/viewer/basic", { "accept-encoding": "br" });
    expect(first.headers.get("cache-control")).toBe("no-cache");
    const etag = first.headers.get("etag") ?? "";
    const again = await get("/viewer/basic", { "accept-encoding": "br", "if-none-match": `W/${etag}` });
    expect(again.status).toBe(304);
    expect(again.headers.get("etag")).toBe(etag);
    const otherCoding = await get("/viewer/basic", { "accept-encoding": "gzip", "if-none-match": etag });
    expect(otherCoding.status).toBe(200);
  });

  test.each([
    "/viewer/",
    "/viewer/index.html",
    "/viewer/sandboxed.html",
    "/viewer/basic/",
    "/viewer/segmentation",
    "/viewer/manifest.json",
    "/viewer/abc/app.js.br",
    "/viewer/../basic",
    "/viewer/%2e%2e/manifest.json",
    "/viewer/__proto__",
    `/viewer/${"a".repeat(5_000)}`,
  ])("nothing else is there: %.40s", async (path) => {
    expect((await get(path)).status).toBe(404);
  });
});

describe("what the viewer may do", () => {
  const policy = (response: Response) => response.headers.get("content-security-policy") ?? "";

  test("its page reaches only the token's DICOMweb and its own files of our origin", async () => {
    const csp = policy(await get("/viewer/basic"));
    expect(csp).toContain("connect-src https://exames.example/dicomweb/t/ https://exames.example/viewer/;");
    expect(csp).toContain("frame-ancestors 'self'");
    expect(csp).toStartWith("sandbox allow-scripts allow-downloads;");
    // Scripts that the page around hands over; nothing else of a blob is reached.
    expect(csp).toContain(
      "script-src 'self' https://exames.example/viewer/ blob: 'wasm-unsafe-eval' 'unsafe-eval';",
    );
    expect(csp).not.toMatch(/connect-src[^;]*blob:/);
    expect(csp).not.toContain("allow-same-origin");
    expect(policy(await get("/viewer/abc/app.js"))).toContain("'wasm-unsafe-eval' 'unsafe-eval'");
  });

  test("its page names its application instead of loading it, if the embedding page may preload it", async () => {
    expect(await (await get("/viewer/basic")).text()).toBe(SANDBOXED);
    expect(await (await get("/viewer/basic", {}, viewer("https://viewer.example"))).text()).toBe(PAGE);
  });

  test("its sandboxed page also names its files by scheme and host, since 'self' matches nothing in WebKit", async () => {
    const csp = policy(await get("/viewer/basic"));
    for (const kind of ["script-src", "worker-src", "style-src", "img-src", "font-src"])
      expect(csp).toContain(`${kind} 'self' https://exames.example/viewer/`);
    const own = policy(await get("/viewer/basic", {}, viewer("https://viewer.example")));
    expect(own).toContain("script-src 'self';");
  });

  test("its page still reaches both behind a proxy that hides our name", async () => {
    const response = await viewer().request("http://127.0.0.1:3000/viewer/basic");
    expect(policy(response)).toContain(
      "connect-src https://exames.example/dicomweb/t/ https://exames.example/viewer/ http://127.0.0.1:3000/dicomweb/t/ http://127.0.0.1:3000/viewer/;",
    );
  });

  test("its page on an origin of its own may be framed only by our pages", async () => {
    const response = await get("/viewer/basic", {}, viewer("https://viewer.example"));
    expect(policy(response)).toContain("frame-ancestors https://exames.example;");
    expect(policy(response)).toContain("viewer.example/dicomweb/t/");
    expect(policy(response)).not.toContain("sandbox");
    expect(policy(response)).not.toContain("unsafe-eval");
  });
});

describe("a viewer on an origin of its own", () => {
  const app = withProblems(new Hono())
    .use(
      separateOrigins({ publicUrl: "https://exames.example", viewerOrigin: "https://viewer.example:8443" }),
    )
    .all("*", (c) => c.text("ok"));
  const status = async (host: string, path: string) =>
    (await app.request(`https://${host}${path}`, { headers: { host } })).status;

  test.each([
    ["viewer.example:8443", "/viewer/basic", 200],
    ["viewer.example:8443", "/dicomweb/t/token/studies", 200],
    ["viewer.example:8443", "/api/auth/me", 404],
    ["viewer.example:8443", "/dicomweb/studies", 404],
    ["viewer.example:8443", "/", 404],
    ["exames.example", "/", 200],
    ["exames.example", "/api/auth/me", 200],
    ["exames.example", "/dicomweb/studies", 200],
    ["exames.example", "/viewer/basic", 404],
    ["exames.example", "/dicomweb/t/token/studies", 404],
    // Routes are found by the decoded path.
    ["exames.example", "/dicomweb/%74/token/studies", 404],
    ["exames.example", "/viewe%72/basic", 404],
    ["viewer.example:8443", "/dicomweb/%74/token/studies", 200],
    ["viewer.example:8443", "/%61pi/auth/me", 404],
    ["10.0.0.1", "/his", 404],
    ["10.0.0.1", "/api/health", 200],
  ])("%s%s is answered with %i", async (host, path, expected) => {
    expect(await status(host, path)).toBe(expected);
  });

  test("without one, pages and viewer answer on every host", async () => {
    const together = new Hono()
      .use(separateOrigins({ publicUrl: "https://exames.example" }))
      .all("*", (c) => c.text("ok"));
    expect((await together.request("http://10.0.0.1/viewer/basic")).status).toBe(200);
  });
});
