import { ensureBuilt } from "./build/ensure-built.ts";

/** Starts the server from a fresh checkout, or runs the given subcommand of it. */
ensureBuilt();
await import("../src/server/main.ts");
