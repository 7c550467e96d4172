import { describe, expect, test } from "bun:test";
import { relative, resolve } from "node:path";
import { dictionaryVr } from "../src/shared/dicom/reading/dictionary.ts";
import { cyclesOf, filesUnder, importsOf, textOf, verbatimBlocks } from "./support/source-tree.ts";

const root = resolve(import.meta.dir, "..");

const sources = filesUnder("src");
const all = [...sources, ...filesUnder("test"), ...filesUnder("scripts")];

/** Pairs `importer → imported` whose first matches one pattern and whose second matches another. */
function crossings(from: RegExp, to: RegExp): string[] {
  return sources
    .filter((path) => from.test(path))
    .flatMap((path) =>
      importsOf(path)
        .filter((imported) => to.test(imported))
        .map((imported) => `${path} → ${imported}`),
    );
}

describe("the house", () => {
  test("the client never imports the server", () => {
    expect(crossings(/^src\/client\//, /^src\/server\//)).toEqual([]);
  });

  test("the server never imports the client", () => {
    expect(crossings(/^src\/server\//, /^src\/client\//)).toEqual([]);
  });

  test("shared code imports neither the client nor the server", () => {
    expect(crossings(/^src\/shared\//, /^src\/(client|server)\//)).toEqual([]);
  });

  test("nothing in src imports tests or scripts", () => {
    expect(crossings(/^src\//, /^(test|scripts)\//)).toEqual([]);
  });

  test("only repositories, tables and the database's own folders use SQL", () => {
    const speaksSql = /from "drizzle-orm(\/[\w-]+)?"/;
    const mayDo = /(\.repo|\.table)\.ts$|^src\/server\/(db|jobs)\//;
    const others = sources.filter((path) => speaksSql.test(textOf(path)) && !mayDo.test(path));
    expect(others).toEqual([]);
  });

  test("routes are the one way in: no use case imports a routes file", () => {
    expect(crossings(/^src\/server\/features\/(?!.*\.routes\.ts$)/, /\.routes(\.ts)?$/)).toEqual([]);
  });

  test("no imports form a cycle, for types or values", () => {
    expect(cyclesOf(new Map(sources.map((path) => [path, importsOf(path)])))).toEqual([]);
  });

  test("no block of ten lines occurs twice in the code", () => {
    const code = [...sources, ...filesUnder("src", /\.css$/)];
    expect(verbatimBlocks(code, 10)).toEqual([]);
  });

  test("the core imports no feature", () => {
    const core = /^src\/server\/(archive|dicom|storage|db|jobs)\//;
    expect(crossings(core, /^src\/server\/features\//)).toEqual([]);
  });

  test("a source that runs something when it is loaded is among package.json's sideEffects, so that no bundle drops it", () => {
    const { sideEffects } = JSON.parse(textOf("package.json")) as { sideEffects: string[] };
    const isNamed = (path: string) => sideEffects.some((pattern) => new Bun.Glob(pattern).match(`./${path}`));
    const statement = /^(?:(?:await|void|if|for|try|new|switch|while) |[\w.]+\(|[\w.]+ (?:\?\?|\|\|)?= )/m;
    const runs = (path: string) => statement.test(textOf(path).replaceAll(/`[^`]*`/g, '""'));
    const bundled = sources.filter((path) => /^src\/(client|shared)\//.test(path));
    expect(bundled.filter(runs)).not.toEqual([]);
    expect(bundled.filter((path) => runs(path) && !isNamed(path))).toEqual([]);
  });

  test("each override of a dependency says in docs/dependencies.md why it is there", () => {
    const { overrides } = JSON.parse(textOf("package.json")) as { overrides: Record<string, string> };
    const named = textOf("docs/dependencies.md");
    expect(Object.keys(overrides).filter((name) => !named.includes(`\`${name}\``))).toEqual([]);
  });

  test("a DICOM tag is written by its keyword, in one dictionary", () => {
    const dictionaries =
      /^(src\/shared\/dicom\/tags|scripts\/(demo\/phantom\/keywords|build\/dicom-dictionary))\.ts$/;
    const bareTags = (path: string) =>
      Array.from(textOf(path).matchAll(/(?:(?<=")x?|\b0x)([0-9a-f]{8})(?!-)\b/gi), ([, hex = ""]) => hex)
        .filter((hex) => dictionaryVr(Number.parseInt(hex, 16)) !== "UN")
        .map((hex) => `${path}: ${hex}`);
    const code = [...sources, ...filesUnder("scripts")].filter((path) => !dictionaries.test(path));
    expect(code.flatMap(bareTags)).toEqual([]);
  });

  test("no object is spread where it is written: the compiler would not see a property too many", () => {
    const code = [...sources, ...filesUnder("scripts")];
    expect(code.filter((path) => /(?:^\s*|[,{(] |\{)\.\.\.\{/m.test(textOf(path)))).toEqual([]);
  });

  test("no array is spread where it is written, unless it is mapped first", () => {
    const spread = /\.\.\.\[(?:[^[\]]|\[[^\]]*\])*\](?!\s*[.:\w[(])/;
    const code = [...sources, ...filesUnder("scripts")];
    expect(code.filter((path) => spread.test(textOf(path)))).toEqual([]);
    expect(["[...[1, 2], 3]", "call(...[one[0],\n two])"].every((text) => spread.test(text))).toBe(true);
    expect(
      ["...[1, 2].map(f)", "(...[a, b]: Deed)", "...[...set].filter(f)"].some((text) => spread.test(text)),
    ).toBe(false);
  });

  test("no file has a vague name such as utils or helpers", () => {
    const vague = /(^|[/.-])(utils?|helpers?|common|misc|manager|stuff)([/.-]|$)/i;
    expect(all.filter((path) => vague.test(path))).toEqual([]);
  });

  test("no source file is longer than 320 lines", () => {
    const long = sources.filter((path) => textOf(path).split("\n").length > 320);
    expect(long).toEqual([]);
  });

  test("the code has no TODO, and no test is switched off", () => {
    const leftovers = /\b(TODO|FIXME|XXX|HACK)\b|\b(test|it|describe)\.(only|skip|todo)\(/;
    const here = relative(root, import.meta.path);
    expect(all.filter((path) => path !== here && leftovers.test(textOf(path)))).toEqual([]);
  });
});
