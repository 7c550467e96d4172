import { bundleProgram } from "./program-file.ts";
import { makeStartedData } from "./started-data.ts";

/** Makes what lets the servers and commands of a run start with less work; until it is there, they start without. */
const [program, startedData, workers] = process.argv.slice(2);
if (!program || !startedData || !workers)
  throw new Error("usage: prepare-servers.ts PROGRAM STARTED_DATA WORKERS");
await bundleProgram(program, workers);
await makeStartedData(startedData);
