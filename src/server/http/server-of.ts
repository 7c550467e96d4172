import type { Context } from "hono";

/** What is asked of the server of Bun that took a request. */
export interface RequestServer {
  requestIP(request: Request): { address: string; port: number } | null;
  timeout(request: Request, seconds: number): void;
}

/** The server that took the request; undefined where none did, as for `app.request()`. */
export function serverOf(c: Context): RequestServer | undefined {
  return (c.env as { server?: RequestServer } | undefined)?.server;
}
