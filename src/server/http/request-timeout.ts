import type { Context } from "hono";
import type { HttpEnv } from "./http-context.ts";

interface TimeoutSetter {
  timeout(request: Request, seconds: number): void;
}

/** Removes the server's idle time-out from a request whose answer may take minutes, such as an upload. */
export function withoutTimeout(c: Context<HttpEnv>): void {
  const server = (c.env as { server?: TimeoutSetter } | undefined)?.server;
  server?.timeout(c.req.raw, 0);
}
