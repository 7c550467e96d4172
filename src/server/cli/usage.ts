import { type ParseArgsConfig, parseArgs } from "node:util";

/** The command line is wrong; the message says how to correct it. */
export class UsageError extends Error {
  override name = "UsageError";
}

/** As node's `parseArgs`. @throws {UsageError} */
export function parseOptions<const Options extends ParseArgsConfig>(options: Options) {
  try {
    return parseArgs(options);
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/**
 * Returns what a schema made of an option.
 * @param rule what the schema asks for; the error says it
 * @throws {UsageError}
 */
export function checked<Value>(
  name: string,
  result: { success: true; data: Value } | { success: false },
  rule?: string,
): Value {
  if (!result.success) throw new UsageError(`${name} is missing or not valid${rule ? `: ${rule}` : ""}`);
  return result.data;
}
