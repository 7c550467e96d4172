/** Runs in a child process: answers each request with one reply until the parent process is gone. */
export function serveRequests<Request, Reply>(answer: (request: Request) => Promise<Reply>): void {
  // Ctrl-C reaches the whole process group, but the app ends its workers itself once their work is done.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});
  process.on("disconnect", () => process.exit(0));
  process.on("message", async (request: Request) => {
    process.send?.(await answer(request));
  });
}
