import type { Context } from "hono";
import type { HttpEnv } from "./http-context.ts";
import { serverOf } from "./server-of.ts";

/** Removes the server's idle time-out from a request whose answer may take minutes, such as an upload. */
export function withoutTimeout(c: Context<HttpEnv>): void {
  serverOf(c)?.timeout(c.req.raw, 0);
}
