import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Target } from "./target.ts";

// Runs before the installation, so it imports no package.

const root = resolve(import.meta.dir, "../..");

/** A build step. It runs again only if an input has changed or an output is missing. */
export interface Step {
  /** Files and folders, relative to the repository. */
  inputs: string[];
  outputs: string[];
  /** Where the digest of the inputs is kept. */
  stamp: string;
}

export const installStep: Step = {
  inputs: ["bun.lock", "package.json", "patches"],
  outputs: ["node_modules"],
  stamp: "node_modules/.installed",
};

/** The locales, the client and the viewer, as `prepare.ts` builds them. */
export const buildStep: Step = {
  inputs: [
    "bun.lock",
    "lingui.config.ts",
    "locales",
    "package.json",
    "scripts/build",
    "src/client",
    "src/shared",
  ],
  outputs: [
    "locales/pt-BR/messages.ts",
    "locales/en-US/messages.ts",
    "dist/client/manifest.json",
    "dist/viewer/manifest.json",
  ],
  stamp: "dist/prepared",
};

/** PostgreSQL as `pack-postgres.ts` packs it: half a minute of compression. */
export function postgresStep({ folder }: Target): Step {
  const built = `dist/${folder}/postgres`;
  return {
    inputs: ["bun.lock", ...POSTGRES_SOURCES],
    outputs: [`${built}.tar.zst`, `${built}.gen.ts`],
    stamp: `${built}.built`,
  };
}

const POSTGRES_SOURCES = [
  "scripts/build/pack-postgres.ts",
  "scripts/build/target-parts.ts",
  "scripts/build/targets",
  "src/server/db/embedded/binaries.ts",
];

/** An executable, as `executable.ts` builds it on top of `buildStep`. */
export function executableStep({ file }: Target): Step {
  const sources = ["LICENSE", "migrations", "src/server"];
  return {
    inputs: [...buildStep.inputs, ...sources],
    outputs: [`dist/${file}`],
    stamp: `dist/${file}.built`,
  };
}

export function isFresh(step: Step): boolean {
  const stamp = join(root, step.stamp);
  if (!existsSync(stamp) || step.outputs.some((path) => !existsSync(join(root, path)))) return false;
  return readFileSync(stamp, "utf8") === digest(step);
}

/** Records that the step has run with the present inputs. */
export function markFresh(step: Step): void {
  mkdirSync(dirname(join(root, step.stamp)), { recursive: true });
  writeFileSync(join(root, step.stamp), digest(step));
}

function digest({ inputs, outputs }: Step): string {
  const hash = createHash("sha256");
  for (const path of inputs.flatMap(filesUnder)) {
    // A file that the step itself writes among its inputs is not an input.
    if (!outputs.includes(path)) hash.update(`${path}\0`).update(readFileSync(join(root, path)));
  }
  return hash.digest("hex");
}

function filesUnder(path: string): string[] {
  if (!statSync(join(root, path)).isDirectory()) return [path];
  return readdirSync(join(root, path), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort();
}
