/** In a child process: answers requests, one reply each, until the process that started this one is gone. */
export function serveRequests<Request, Reply>(answer: (request: Request) => Promise<Reply>): void {
  // Ctrl-C reaches the whole process group; the app ends its workers itself, once their work is done.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});
  process.on("disconnect", () => process.exit(0));
  process.on("message", async (request: Request) => {
    process.send?.(await answer(request));
  });
}
