import { existsSync } from "node:fs";
import { rename } from "node:fs/promises";
import { dirname, join } from "node:path";

const SOURCE = join(import.meta.dir, "../../src/server/main.ts");
/** Names the file that {@link bundleProgram} makes. */
const BUNDLED = process.env.TEST_PROGRAM ?? "";

/** The program for `bun` to run: the bundle if this run has made one, else the source. */
export const programFile = (): string => (existsSync(BUNDLED) ? BUNDLED : SOURCE);

/** Bundles and compiles the program, which then starts with half the work. It appears whole or not at all. */
export async function bundleProgram(file: string): Promise<void> {
  const folder = dirname(file);
  // The paths in it stay those of the sources, as it runs its workers from there.
  await Bun.build({
    entrypoints: [SOURCE],
    target: "bun",
    format: "cjs",
    bytecode: true,
    outdir: `${folder}-draft`,
  });
  await rename(`${folder}-draft`, folder);
}
