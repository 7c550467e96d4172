import { join, resolve } from "node:path";
import { ensureBuilt } from "./build/ensure-built.ts";
import { executableStep, isFresh } from "./build/freshness.ts";

/** Builds `dist/exameteca`: nothing where nothing changed, else only the steps whose inputs did. */
const path = join(resolve(import.meta.dir, ".."), "dist/exameteca");
ensureBuilt();
const isBuilt = isFresh(executableStep);
if (!isBuilt) await (await import("./build/executable.ts")).buildExecutable();
const megabytes = (Bun.file(path).size / 1e6).toFixed(1);
console.log(`${path}: ${megabytes} MB${isBuilt ? ", up to date" : ""}`);
process.exit(0);
