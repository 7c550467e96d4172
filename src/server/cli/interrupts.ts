import { constants } from "node:os";
import { OperatorError } from "../runtime/operator-error.ts";
import { onStopSignal } from "./stop-signals.ts";

/** `bun run` passes on Ctrl-C, which the terminal sends too: signals that come within this time are one interruption. */
const ONE_INTERRUPTION_MS = 1_000;

/**
 * Aborts when the user interrupts the command. The command must then leave nothing half done. A user who does not wait for that, and
 * interrupts again, ends it at once.
 */
export function untilInterrupted(told = "Interrupted: nothing was finished."): AbortSignal {
  const controller = new AbortController();
  let firstAtMs: number | undefined;
  onStopSignal((signal) => {
    firstAtMs ??= performance.now();
    controller.abort(new Interrupted(told));
    if (performance.now() - firstAtMs > ONE_INTERRUPTION_MS) process.exit(128 + constants.signals[signal]);
  });
  return controller.signal;
}

/** The user interrupted the command. */
export class Interrupted extends OperatorError {
  override name = "Interrupted";
}
