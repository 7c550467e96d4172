import { join, resolve } from "node:path";
import { ensureBuilt } from "./build/ensure-built.ts";
import { executableStep, isFresh } from "./build/freshness.ts";
import { inFreshProcess } from "./build/in-fresh-process.ts";
import {
  ARCHITECTURES,
  isThisMachine,
  linuxTarget,
  ownTarget,
  parseArchitecture,
  quickTarget,
  type Target,
} from "./build/target.ts";

/**
 * Builds `dist/exameteca` for this machine and `dist/exameteca-linux-…` for Linux on the other processor. A step runs
 * only if its inputs have changed.
 *   build arm64     only `dist/exameteca-linux-arm64`; so `amd64`
 *   build --quick   only `dist/quick/exameteca`, the same program compressed less, for tests
 */
function chooseTargets(args: readonly string[]): Target[] {
  if (args.includes("--quick")) return [quickTarget];
  if (args.length > 0) return args.map((name) => linuxTarget(parseArchitecture(name)));
  const others = ARCHITECTURES.filter((architecture) => !isThisMachine(architecture));
  return [ownTarget, ...others.map(linuxTarget)];
}

const targets = chooseTargets(process.argv.slice(2));
await inFreshProcess();
ensureBuilt();
for (const target of targets) {
  const step = executableStep(target);
  const isBuilt = isFresh(step);
  if (!isBuilt) await (await import("./build/executable.ts")).buildExecutable(target);
  const path = join(resolve(import.meta.dir, ".."), ...step.outputs);
  const megabytes = (Bun.file(path).size / 1e6).toFixed(1);
  console.log(`${path}: ${megabytes} MB${isBuilt ? ", up to date" : ""}`);
}
process.exit(0);
