import { bundleWorkers } from "./program-file.ts";

/** Makes what lets the workers of a run start with less work, before anything starts one. */
const [folder] = process.argv.slice(2);
if (!folder) throw new Error("usage: prepare-workers.ts FOLDER");
await bundleWorkers(folder);
