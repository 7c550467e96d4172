export type LogLevel = "debug" | "info" | "warn" | "error";

/** What a log line may hold besides its event: never a person's name, a UID, a token, a path or a query string. */
export type LogFields = Record<string, string | number | boolean | null | undefined | string[]>;

/** The log: `event` is a stable dotted word (`upload.committed`), `fields` its figures. */
export interface Logger {
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
}

const LEVELS: readonly LogLevel[] = ["debug", "info", "warn", "error"];

/** A logger that writes one JSON line for each event and drops events below `level`. */
export function createLogger(options: {
  level: LogLevel;
  write?: (line: string) => void;
  now?: () => Date;
}): Logger {
  const { level, write = (line) => process.stdout.write(line), now = () => new Date() } = options;
  const lowest = LEVELS.indexOf(level);
  const at = (rank: LogLevel) => (event: string, fields?: LogFields) => {
    if (LEVELS.indexOf(rank) < lowest) return;
    write(`${JSON.stringify({ ...fields, time: now().toISOString(), level: rank, event })}\n`);
  };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

const MAX_FRAMES = 12;

/**
 * Describes an error for the log: its class, its code, where it was thrown, and the same of its cause. Messages are left
 * out, because those of PostgreSQL and drizzle quote the values of the failed statement.
 */
export function describeError(error: unknown): LogFields {
  if (!(error instanceof Error)) return { error: typeof error };
  const cause = error.cause instanceof Error ? error.cause : undefined;
  return {
    error: error.name,
    code: codeOf(error),
    cause: cause?.name,
    causeCode: cause && codeOf(cause),
    frames: framesOf(error),
  };
}

/** The stack without the message that it starts with. */
function framesOf(error: Error): string[] {
  const stack = error.stack ?? "";
  const messageAt = stack.indexOf(error.message);
  const places = messageAt < 0 ? stack : stack.slice(messageAt + error.message.length);
  const lines = places.split("\n").map((line) => line.trim());
  return lines.filter((line) => /^at .*:\d+:\d+\)?$/.test(line)).slice(0, MAX_FRAMES);
}

function codeOf(error: Error): string | undefined {
  return "code" in error && typeof error.code === "string" ? error.code : undefined;
}
