import type { MiddlewareHandler } from "hono";

/**
 * Lets the viewer's sandboxed page, whose origin is opaque, and the visor in the app's own page read what a token opens. The secret is
 * in the path and no cookie or header authenticates here, so another page gains nothing by asking.
 */
export function shareWithSandbox(): MiddlewareHandler {
  return async (c, next) => {
    // Other requests with this method ask what the service can do.
    if (c.req.method === "OPTIONS" && c.req.header("access-control-request-method") !== undefined) {
      c.header("Access-Control-Allow-Methods", "GET, HEAD");
      c.header("Access-Control-Allow-Headers", "accept, content-type, range");
      c.header("Access-Control-Max-Age", "86400");
      c.header("Access-Control-Allow-Origin", "*");
      return c.body(null, 204);
    }
    await next();
    c.res.headers.set("Access-Control-Allow-Origin", "*");
    return undefined;
  };
}
