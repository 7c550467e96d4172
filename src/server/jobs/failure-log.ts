import { describeError, type Logger } from "../runtime/log.ts";

const QUIET_MS = 10_000;

/**
 * Logs what pg-boss fails at. While the database is gone each queue fails at each look, so failures of one kind are one line in ten
 * seconds, and `leftOut` says how many were not logged since the line before.
 */
export function createFailureLog(log: Logger, now = () => performance.now()): (failure: unknown) => void {
  const told = new Map<string, { at: number; leftOut: number }>();
  return (failure) => {
    const fields = describeError(asError(failure));
    const kind = `${fields.error} ${fields.code}`;
    const last = told.get(kind);
    if (last && now() - last.at < QUIET_MS) return void last.leftOut++;
    told.set(kind, { at: now(), leftOut: 0 });
    log.error("jobs.error", { ...fields, queue: queueOf(failure), leftOut: last?.leftOut || undefined });
  };
}

/** pg-boss passes on a copy of an error's properties, to which it added the queue. */
function asError(failure: unknown): unknown {
  if (failure instanceof Error || typeof failure !== "object") return failure;
  return Object.assign(new Error(), failure);
}

function queueOf(failure: unknown): string | undefined {
  const { queue } = Object(failure);
  return typeof queue === "string" ? queue : undefined;
}
