import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/** Fails if a catalogue lacks a text of the sources, keeps a text that nothing uses, or lacks a translation. */
const root = resolve(import.meta.dir, "../..");
const catalogues = ["locales/pt-BR/messages.po", "locales/en-US/messages.po"];
const before = catalogues.map((path) => readFileSync(join(root, path), "utf8"));
const kept = mkdtempSync(join(tmpdir(), "locales-"));
cpSync(join(root, "locales"), kept, { recursive: true });

function lingui(...args: string[]): boolean {
  const { exitCode } = Bun.spawnSync([process.execPath, "--bun", "x", "lingui", ...args], {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
  });
  return exitCode === 0;
}

let isGood = false;
try {
  const isExtracted = lingui("extract", "--clean");
  const isSame = catalogues.every(
    (path, i) => stripDates(readFileSync(join(root, path), "utf8")) === stripDates(before[i] ?? ""),
  );
  if (!isSame)
    console.error("the catalogues are not up to date: run `bun run extract` and translate what is new");
  isGood = isExtracted && isSame && lingui("compile", "--typescript", "--strict");
} finally {
  cpSync(kept, join(root, "locales"), { recursive: true });
  rmSync(kept, { recursive: true });
}
process.exit(isGood ? 0 : 1);

function stripDates(catalogue: string): string {
  return catalogue.replace(/^"POT-Creation-Date:.*$/m, "");
}
