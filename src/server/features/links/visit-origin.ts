import type { Context } from "hono";
import { deviceAndBrowser } from "../../../shared/rules/device.ts";
import type { HttpEnv } from "../../http/http-context.ts";
import { originOf, type RequestOrigin } from "../../http/request-origin.ts";

/** The longest User-Agent that is looked at. */
const MAX_USER_AGENT = 512;

/** Where a visit comes from; `device` is what its browser says it is. */
export interface VisitOrigin extends RequestOrigin {
  device: string | undefined;
}

export function visitOriginOf(c: Context<HttpEnv>): VisitOrigin {
  const userAgent = (c.req.header("user-agent") ?? "").slice(0, MAX_USER_AGENT);
  return { ...originOf(c), device: deviceAndBrowser(userAgent) || undefined };
}
