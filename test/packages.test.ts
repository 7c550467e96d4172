import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { builtinModules } from "node:module";
import { join, resolve } from "node:path";
import manifest from "../package.json";
import { installStep } from "../scripts/build/freshness.ts";
import { filesUnder, textOf } from "./support/source-tree.ts";

const root = resolve(import.meta.dir, "..");
const styleSheets = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".css"))
  .map((path) => `src/${path}`);
const settings = ["drizzle.config.ts", "lingui.config.ts"];
const files = [
  ...["src", "test", "scripts"].flatMap((folder) => filesUnder(folder)),
  ...styleSheets,
  ...settings,
];

const SPECIFIER =
  /(?:\bfrom\s+|\bimport\s*\(?\s*|\brequire\(|\bresolveSync\((?=[^)]*import\.meta))["']((?:@[\w.-]+\/)?\w[\w.-]*)(?:\/[\w./-]+)?["']/g;

/** Packages that code, style sheets and the settings of tools import. */
function importedPackages(): Set<string> {
  const specifiers = files.flatMap((path) => {
    const code = textOf(path).replace(/^\s*(\/\/|\*|\/\*).*$/gm, "");
    return Array.from(code.matchAll(SPECIFIER), ([, name = ""]) => name);
  });
  return new Set(specifiers.filter((name) => !isBuiltIn(name)));
}

function isBuiltIn(name: string): boolean {
  return name === "bun" || builtinModules.includes(name);
}

function declaredPackages(): string[] {
  const { dependencies, devDependencies } = JSON.parse(textOf("package.json")) as Record<string, object>;
  return Object.keys({ ...dependencies, ...devDependencies });
}

/** The table of docs/dependencies.md: package names in its first column. */
function excusedPackages(): string[] {
  const [, section = ""] = textOf("docs/dependencies.md").split("## Dependencies that nothing imports");
  const [table = ""] = section.split("\n## ");
  return Array.from(table.matchAll(/^\| (`[^|]+)\|/gm), ([, cell = ""]) => cell).flatMap((cell) =>
    Array.from(cell.matchAll(/`([^`]+)`/g), ([, name = ""]) => name),
  );
}

test("each dependency is imported, or docs/dependencies.md says why it is needed", () => {
  const imported = importedPackages();
  const idle = declaredPackages().filter((name) => !imported.has(name));
  expect(idle.sort()).toEqual(excusedPackages().sort());
});

test("every imported package is named in package.json", () => {
  const declared = new Set(declaredPackages());
  expect([...importedPackages()].filter((name) => !declared.has(name)).sort()).toEqual([]);
});

test("a package whose patch changed is installed again by the next start", () => {
  const patches = Object.values(manifest.patchedDependencies);
  expect(patches.length).toBeGreaterThan(0);
  const isInput = (path: string) =>
    installStep.inputs.some((input) => path === input || path.startsWith(`${input}/`));
  expect(patches.filter((path) => !isInput(path))).toEqual([]);
});
