import { OperatorError } from "../runtime/operator-error.ts";

/** Aborts when the user interrupts the command. The command must then leave nothing half done. */
export function untilInterrupted(told = "Interrupted: nothing was finished."): AbortSignal {
  const controller = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.once(signal, () => controller.abort(new Interrupted(told)));
  }
  return controller.signal;
}

/** The user interrupted the command. */
export class Interrupted extends OperatorError {
  override name = "Interrupted";
}
