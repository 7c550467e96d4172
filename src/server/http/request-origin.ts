import type { Context } from "hono";
import type { HttpEnv } from "./http-context.ts";
import type { Session } from "./session.ts";

/** Where a request came from, for the audit and the throttles. */
export interface RequestOrigin {
  address: string;
  requestId: string;
  /** The id of the access token that acts for its owner. */
  accessTokenId?: string;
}

export function originOf(c: Context<HttpEnv>): RequestOrigin {
  const session: Session | undefined = c.get("session");
  return {
    address: c.get("address"),
    requestId: c.get("requestId"),
    ...(session?.scopes && { accessTokenId: session.id }),
  };
}
