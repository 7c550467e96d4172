import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import slowFiles from "./slow-files.json";

const root = resolve(import.meta.dir, "../..");
const PATH = join(root, "dist/test-timings.json");

/** How long other files take than those that `slow-files.json` names, in seconds, as measured on two cores. */
const USUAL_MS = [
  { folder: "test/e2e/", milliseconds: 30_000 },
  { folder: "test/server/", milliseconds: 3_000 },
  { folder: "test/", milliseconds: 1_000 },
];

/** As `bun test --timings` reads and writes it. */
interface Timings {
  version: 1;
  files: Record<string, number>;
}

/**
 * The file by which `bun test` starts the slowest test files first, so that none is left alone at the end. It keeps
 * what the last run on this machine measured, and estimates the other files.
 */
export function prepareTimings(): string {
  const measured = readTimings();
  const files: Record<string, number> = {};
  for (const file of new Bun.Glob("test/**/*.test.{ts,tsx}").scanSync({ cwd: root })) {
    files[file] = measured[file] ?? usualMs(file);
  }
  mkdirSync(dirname(PATH), { recursive: true });
  writeFileSync(PATH, JSON.stringify({ version: 1, files } satisfies Timings));
  return PATH;
}

function readTimings(): Record<string, number> {
  if (!existsSync(PATH)) return {};
  try {
    return (JSON.parse(readFileSync(PATH, "utf8")) as Timings).files ?? {};
  } catch (error) {
    // A run that was killed may have left half of it.
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

function usualMs(file: string): number {
  const slowSeconds: Record<string, number> = slowFiles;
  const seconds = slowSeconds[file];
  if (seconds !== undefined) return seconds * 1_000;
  return USUAL_MS.find(({ folder }) => file.startsWith(folder))?.milliseconds ?? 0;
}
