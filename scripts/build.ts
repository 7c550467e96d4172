import { join, resolve } from "node:path";
import { ensureBuilt } from "./build/ensure-built.ts";
import { executableStep, isFresh, quickExecutableStep } from "./build/freshness.ts";
import { inFreshProcess } from "./build/in-fresh-process.ts";

/**
 * Builds `dist/exameteca`. A step runs only if its inputs have changed. With `--quick`
 * `dist/quick/exameteca`, the same program compressed less, for tests.
 */
const isQuick = process.argv.includes("--quick");
const step = isQuick ? quickExecutableStep : executableStep;
const path = join(resolve(import.meta.dir, ".."), ...step.outputs);
await inFreshProcess();
ensureBuilt();
const isBuilt = isFresh(step);
if (!isBuilt) await (await import("./build/executable.ts")).buildExecutable({ isQuick });
const megabytes = (Bun.file(path).size / 1e6).toFixed(1);
console.log(`${path}: ${megabytes} MB${isBuilt ? ", up to date" : ""}`);
process.exit(0);
