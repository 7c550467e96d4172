import { ensureBuilt } from "./build/ensure-built.ts";
import { inFreshProcess } from "./build/in-fresh-process.ts";

/** Starts the server from a fresh checkout, or runs the given subcommand of it. */
await inFreshProcess();
ensureBuilt();
await import("../src/server/main.ts");
