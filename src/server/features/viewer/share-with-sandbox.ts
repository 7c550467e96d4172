import type { MiddlewareHandler } from "hono";

/**
 * Lets the viewer's page and the visor's page read what a token opens. The viewer's page is sandboxed, so its origin is opaque.
 * The token is in the path, and no cookie or header authenticates here: another page gains nothing by asking.
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
