/** A request or a reply on its way; a reply has the number of its request. */
export interface Numbered<Body> {
  number: number;
  body: Body;
}

/**
 * Runs in a child process: answers each request with one reply until the parent process is gone. A request that comes while others
 * wait for their answers is begun at once.
 */
export function serveRequests<Request, Reply>(answer: (request: Request) => Promise<Reply>): void {
  // Ctrl-C reaches the whole process group, but the app ends its workers itself once their work is done.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});
  process.on("disconnect", () => process.exit(0));
  process.on("message", async ({ number, body }: Numbered<Request>) => {
    process.send?.({ number, body: await answer(body) } satisfies Numbered<Reply>);
  });
}

/** The request to a new process before its first work, so that starting does not count as work. */
export const READY = "ready";

/** As {@link serveRequests}, in the process of a `SerialProcess`. */
export function serveSerially<Request, Reply>(answer: (request: Request) => Reply | Promise<Reply>): void {
  serveRequests<Request | typeof READY, Reply | typeof READY>(async (request) =>
    request === READY ? READY : await answer(request as Request),
  );
}
