import { createLogger } from "../runtime/log.ts";

/** The log of a command, whose standard output is its result. */
export const commandLog = createLogger({ level: "warn", write: (line) => process.stderr.write(line) });
