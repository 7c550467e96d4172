import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { applyPatches, isLeftOut, lostPatches, PATCHES } from "../../../scripts/build/viewer-patches.ts";
import { HARD_CODED_TEXTS } from "../../../scripts/build/viewer-texts.ts";
import portuguese from "../../../src/client/viewer/locales/pt-BR.json";
import { TEXTS } from "../../../src/client/viewer/texts.ts";

const OHIF = join(import.meta.dir, "../../../node_modules/@ohif/app/dist");
const files = readdirSync(OHIF).filter((name) => name.endsWith(".js") || name.endsWith(".css"));
const appName = files.find((name) => /^app\.bundle\.\w+\.js$/.test(name)) ?? "";
/** Scripts that look texts up: the application and its extensions' chunks. */
const LOOKED_UP = files
  .filter((name) => name.endsWith(".js") && !isLeftOut(name))
  .map((name) => readFileSync(join(OHIF, name), "utf8"));
const original = readFileSync(join(OHIF, appName), "utf8");

describe("building the viewer", () => {
  test("each patch applies to a file, and the patched application loads its scripts from the viewer's path", () => {
    for (const { file } of PATCHES) expect(files.some((name) => file.test(name))).toBe(true);
    const patched = applyPatches(appName, original, "/viewer/1/");
    expect(patched.includes('__webpack_require__.p = (self.viewerOrigin || "") + "/viewer/1/"')).toBe(true);
    expect(patched).not.toContain('pluginImports_modes.push("@ohif/mode-segmentation")');
    expect(patched).toContain('pluginImports_modes.push("@ohif/mode-basic")');
    expect(patched).toMatch(/\.\.\.en_US,\s+\.\.\.pt_BR/);
  });

  test("a viewer that the patches do not fit fails the build", () => {
    expect(() => applyPatches(appName, original.replace("mode-tmtv", "mode-other"), "/viewer/1/")).toThrow(
      "mode-tmtv",
    );
    expect(() => applyPatches("9999.bundle.abc.js", '__webpack_require__.p = "/"', "/viewer/1/")).toThrow(
      "9999",
    );
  });

  test("every patch that no longer applies to a new OHIF is named with its reason", () => {
    const read = (name: string) =>
      readFileSync(join(OHIF, name), "utf8").replaceAll("getHTTPErrorHandler(error)", "tell(error)");
    const served = files.filter((name) => !isLeftOut(name));
    expect(lostPatches(served, (name) => readFileSync(join(OHIF, name), "utf8"))).toEqual([]);
    const lost = lostPatches(
      served.filter((name) => !name.endsWith(".css")),
      read,
    );
    expect(lost.map(({ kind }) => kind).sort()).toEqual(["address", "defect"]);
    for (const { why, upstream } of PATCHES) expect(`${why}${upstream}`.length).toBeGreaterThan(30);
  });

  test("the build has no service worker, model runtime or source map", () => {
    for (const path of [
      "init-service-worker.js",
      "sw.js",
      "ort/ort.js",
      "app.bundle.js.map",
      "app-config.js",
    ]) {
      expect(isLeftOut(path)).toBe(true);
    }
    expect(isLeftOut(appName)).toBe(false);
  });

  test("each text in OHIF's code has a Portuguese translation, unless the word is the same in both languages", () => {
    const said = new Set(Object.keys(TEXTS["pt-BR"].hardCoded));
    const taken = HARD_CODED_TEXTS.map(([, , literal]) => literal.slice(1, -1));
    expect(taken.filter((text) => !said.has(text) && text !== "Axial" && text !== "Coronal")).toEqual([]);
    expect([...said].filter((text) => !taken.includes(text))).toEqual([]);
  });

  test("Portuguese texts are for texts the viewer has, with the same placeholders", () => {
    const english = englishTexts();
    for (const [namespace, texts] of Object.entries<Record<string, string>>(portuguese)) {
      for (const [key, text] of Object.entries(texts)) {
        const name = `${namespace}:${key}`;
        const source = english[namespace]?.[key];
        // Some keys have no English text of their own: the code asks for them with the text as key or default.
        if (!source && key.startsWith("LanguageName.")) continue;
        if (!source && LOOKED_UP.some((script) => script.includes(key))) continue;
        expect(source, name).toBeString();
        expect(text.match(/\{\{.*?\}\}/g), name).toEqual(source?.match(/\{\{.*?\}\}/g) ?? null);
      }
    }
  });
});

/** The viewer's English texts, as its script carries them: one `JSON.parse('…')` a namespace. */
function englishTexts(): Record<string, Record<string, string>> {
  const texts: Record<string, Record<string, string>> = {};
  for (const [, namespace = "", literal = ""] of original.matchAll(
    /locales\/en-US\/(\w+)\.json\n\s*var \w+ = JSON\.parse\('(.*)'\)/g,
  )) {
    texts[namespace] = JSON.parse(literal.replace(/\\(['\\])/g, "$1"));
  }
  return texts;
}
