import type { IngestFailure } from "./worker-messages.ts";

/** An upload that can't be taken as a whole. `detail` is for the log: it names no person, UID or path. */
export class IngestRefused extends Error {
  override name = "IngestRefused";
  constructor(
    readonly failure: IngestFailure,
    readonly detail: string,
  ) {
    super(`${failure}: ${detail}`);
  }
}

/** Too many uploads wait for a worker. */
export class IngestBusy extends Error {
  override name = "IngestBusy";
}
