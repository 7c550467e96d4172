import type { Context } from "hono";
import type { HttpEnv } from "./http-context.ts";

/** Where a request came from, for the audit and the throttles. */
export interface RequestOrigin {
  address: string;
  requestId: string;
}

export function originOf(c: Context<HttpEnv>): RequestOrigin {
  return { address: c.get("address"), requestId: c.get("requestId") };
}
