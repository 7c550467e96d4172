import { createLogger } from "../runtime/log.ts";

/** Writes to standard error, because a command's result goes to standard output. */
export const commandLog = createLogger({ level: "warn", write: (line) => process.stderr.write(line) });
