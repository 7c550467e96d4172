import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/**
 * Fails if a catalogue lacks a text of the sources, keeps a text that nothing uses, or lacks a translation. Works on a copy, so
 * that others can read the catalogues meanwhile.
 */
const root = resolve(import.meta.dir, "../..");
const copy = mkdtempSync(join(tmpdir(), "locales-"));
const catalogues = ["locales/pt-BR/messages.po", "locales/en-US/messages.po"];

function lingui(...args: string[]): boolean {
  const { exitCode } = Bun.spawnSync([process.execPath, "--bun", "x", "lingui", ...args], {
    cwd: copy,
    stdio: ["ignore", "inherit", "inherit"],
  });
  return exitCode === 0;
}

let isGood = false;
try {
  for (const name of ["lingui.config.ts", "package.json", "locales"]) {
    cpSync(join(root, name), join(copy, name), { recursive: true });
  }
  cpSync(join(root, "src"), join(copy, "src"), { recursive: true, filter: mayHaveTexts });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  const isExtracted = lingui("extract", "--clean");
  const isSame = catalogues.every((path) => catalogueOf(copy, path) === catalogueOf(root, path));
  if (!isSame)
    console.error("the catalogues are not up to date: run `bun run extract` and translate what is new");
  isGood = isExtracted && isSame && lingui("compile", "--typescript", "--strict");
} finally {
  rmSync(copy, { recursive: true });
}
process.exit(isGood ? 0 : 1);

/** Babel need not parse the others: the macros and `Trans` come from Lingui's packages, and the marks are comments of `i18n`. */
function mayHaveTexts(path: string): boolean {
  return statSync(path).isDirectory() || /lingui|i18n/i.test(readFileSync(path, "utf8"));
}

/** A catalogue without its date. */
function catalogueOf(folder: string, path: string): string {
  return readFileSync(join(folder, path), "utf8").replace(/^"POT-Creation-Date:.*$/m, "");
}
