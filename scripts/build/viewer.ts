import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { build, transform } from "esbuild";
import { createAssetFolder } from "./asset-folder.ts";
import { applyPatches, isLeftOut, lostPatches, openingScripts } from "./viewer-patches.ts";

const ROOT = join(import.meta.dir, "../..");
const OHIF = join(ROOT, "node_modules/@ohif/app");
const APP_CONFIG = join(ROOT, "src/client/viewer/app-config.ts");
/** Our file, appended to OHIF's. */
const PAGE_STYLES = join(ROOT, "src/client/viewer/viewer-page.css");
const TARGET = "es2022";

export interface BuildViewerOptions {
  folder?: string;
  /** Brotli 11 instead of 9: 5 % smaller, six times slower. */
  release?: boolean;
}

/**
 * Builds the image viewer (OHIF, prebuilt in its npm package) as an asset folder: moved under `/viewer/`, trimmed
 * to the basic mode, minified, compressed. Does nothing where the folder is up to date.
 *
 * Every file but `index.html` lies under a folder named after the build, because OHIF's own file names do not
 * change with our patches; so all of them may be cached for ever.
 */
export async function buildViewer(options: BuildViewerOptions = {}): Promise<{ built: boolean }> {
  const { folder = join(ROOT, "dist/viewer"), release = false } = options;
  const brotliQuality = release ? 11 : 9;
  const appConfig = await bundleAppConfig();
  const buildId = hashOfInputs(appConfig);
  if (isUpToDate(folder, buildId, brotliQuality)) return { built: false };

  const unfinished = `${folder}.unfinished-${process.pid}`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true });
  try {
    const publicPath = `/viewer/${buildId}/`;
    const assets = createAssetFolder({ folder: unfinished, brotliQuality });
    const paths = servedPaths();
    assertPatchesFit(paths);
    const sizes = new Map<string, number>();
    for (const path of paths) {
      const bytes = await prepare(path, publicPath);
      sizes.set(path, bytes.length);
      await assets.add(`${buildId}/${path}`, bytes, { immutable: true });
    }
    await assets.add(`${buildId}/viewer-page.css`, await pageStyles(), { immutable: true });
    await assets.add(`${buildId}/app-config.js`, new TextEncoder().encode(appConfig), { immutable: true });
    const text = (content: string) => new TextEncoder().encode(content);
    const entry = entryOf();
    await assets.add("index.html", text(page(publicPath, deferred(publicPath + entry))), {
      immutable: false,
    });
    const sandboxed = page(publicPath, named(publicPath + entry));
    await assets.add("sandboxed.html", text(sandboxed), { immutable: false });
    const scripts = paths.filter((path) => path.endsWith(".js")).map((path) => publicPath + path);
    await assets.add("scripts.json", text(JSON.stringify(scripts)), { immutable: false });
    const opening = openingScripts(paths).map((path) => [publicPath + path, sizes.get(path)]);
    await assets.add("opening.json", text(JSON.stringify(opening)), { immutable: false });
    assets.finish();
    writeFileSync(join(unfinished, "stamp"), stamp(buildId, brotliQuality));
    replaceFolder(folder, unfinished, () => isUpToDate(folder, buildId, brotliQuality));
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  return { built: true };
}

function servedPaths(): string[] {
  const dist = join(OHIF, "dist");
  return readdirSync(dist, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(dist, join(entry.parentPath, entry.name)))
    .filter((path) => !isLeftOut(path))
    .sort();
}

/** @throws with every patch that this OHIF has lost, and what to look at upstream */
function assertPatchesFit(paths: readonly string[]): void {
  const lost = lostPatches(paths, (path) => readFileSync(join(OHIF, "dist", path), "utf8"));
  if (lost.length === 0) return;
  const lines = lost.map(
    ({ kind, why, upstream, find }) =>
      `  [${kind}] ${JSON.stringify(find.slice(0, 60))}: ${why} (${upstream})`,
  );
  throw new Error(`this OHIF has no place for ${lost.length} of our patches:\n${lines.join("\n")}`);
}

/** Two builds may end at the same time; the folder of either is right. */
function replaceFolder(folder: string, finished: string, isAlreadyThere: () => boolean): void {
  rmSync(folder, { recursive: true, force: true });
  try {
    renameSync(finished, folder);
  } catch (error) {
    if (!isAlreadyThere()) throw error;
  }
}

async function prepare(path: string, publicPath: string): Promise<Uint8Array> {
  const bytes = readFileSync(join(OHIF, "dist", path));
  if (!/\.(js|css)$/.test(path)) return bytes;
  const patched = applyPatches(path, bytes.toString("utf8"), publicPath);
  const loader = path.endsWith(".css") ? "css" : "js";
  const { code } = await transform(patched, { loader, minify: true, legalComments: "none", target: TARGET });
  return new TextEncoder().encode(code);
}

async function pageStyles(): Promise<Uint8Array> {
  const { code } = await transform(readFileSync(PAGE_STYLES, "utf8"), {
    loader: "css",
    minify: true,
    target: TARGET,
  });
  return new TextEncoder().encode(code);
}

async function bundleAppConfig(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [APP_CONFIG],
    bundle: true,
    format: "iife",
    minify: true,
    target: TARGET,
    write: false,
  });
  const [output] = outputFiles;
  if (!output) throw new Error("the viewer's app-config did not compile");
  return output.text;
}

/** @throws where the application's entry is not found in OHIF's own page */
function entryOf(): string {
  const original = readFileSync(join(OHIF, "dist/index.html"), "utf8");
  const entry = /src="\/(app\.bundle\.[0-9a-f]+\.js)"/.exec(original)?.[1];
  if (!entry || !original.includes('href="/app.bundle.css"')) {
    throw new Error("the viewer's page does not name its script and style sheet as expected");
  }
  return entry;
}

const deferred = (address: string) => `<script defer src="${address}"></script>`;
/** For `handed-scripts.ts`, which gets it from the page around. */
const named = (address: string) => `<meta name="viewer-entry" content="${address}">`;

function page(publicPath: string, entry: string): string {
  return `<!doctype html>
<html lang="pt-BR" class="dark">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="dark">
<title>Exameteca</title>
<link rel="icon" href="data:,">
${entry}
<script src="${publicPath}app-config.js"></script>
<link rel="stylesheet" href="${publicPath}app.bundle.css">
<link rel="stylesheet" href="${publicPath}viewer-page.css">
</head>
<body>
<noscript>O visualizador precisa de JavaScript. / The viewer needs JavaScript.</noscript>
<div id="react-portal"></div>
<div id="root"></div>
</body>
</html>
`;
}

function hashOfInputs(appConfig: string): string {
  const hash = createHash("sha256").update(appConfig);
  hash.update(readFileSync(join(OHIF, "package.json")));
  hash.update(readFileSync(PAGE_STYLES));
  for (const script of ["viewer.ts", "viewer-patches.ts", "viewer-texts.ts", "asset-folder.ts"]) {
    hash.update(readFileSync(join(import.meta.dir, script)));
  }
  return hash.digest("hex").slice(0, 10);
}

const stamp = (buildId: string, brotliQuality: number) => `${buildId} ${brotliQuality}\n`;

function isUpToDate(folder: string, buildId: string, brotliQuality: number): boolean {
  const path = join(folder, "stamp");
  if (!existsSync(path)) return false;
  const [builtId, builtQuality] = readFileSync(path, "utf8").trim().split(" ");
  return builtId === buildId && Number(builtQuality) >= brotliQuality;
}

if (import.meta.main) {
  const startedAt = performance.now();
  const { built } = await buildViewer({ release: process.argv.includes("--release") });
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  console.log(built ? `viewer built in ${seconds} s` : "viewer is up to date");
}
