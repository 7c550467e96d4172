/** The command line is wrong; the message says how to correct it. */
export class UsageError extends Error {
  override name = "UsageError";
}
