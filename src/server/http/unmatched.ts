import type { Context, Hono } from "hono";
import { AppError } from "./app-error.ts";
import { methodNotAllowed, notFound } from "./http.errors.ts";
import type { HttpEnv } from "./http-context.ts";

type Router = Pick<Hono<HttpEnv>, "router" | "routes">;

/** What takes everything that has no route of its own. */
const CATCH_ALL = "/*";
/** The end of a route for everything below an address. */
const EVERYTHING_BELOW = /\/(\*|:\w+\{\.\*\})$/;

/**
 * The methods of the routes at a path, as `Allow` has them: sorted, HEAD where GET is. Empty for an address that only routes for
 * everything below another one match.
 */
export function allowedMethods({ router, routes }: Router, path: string): string[] {
  const known = new Set(routes.map(({ method }) => method).filter((method) => method !== "ALL"));
  const found = [...known].flatMap((method) =>
    router
      .match(method, path)[0]
      .map(([[, route]]) => route)
      .filter((route) => route.method !== "ALL" && route.path !== CATCH_ALL),
  );
  if (!found.some((route) => !EVERYTHING_BELOW.test(route.path))) return [];
  const methods = new Set(found.map(({ method }) => method));
  if (methods.has("GET")) methods.add("HEAD");
  return [...methods].sort();
}

/**
 * The failure of a request that nothing answers: 405 with `Allow` if its address is known for other methods (RFC 9110 §15.5.6),
 * otherwise 404.
 */
export function unmatched(c: Context<HttpEnv>): AppError {
  const allowed = c.get("allowedMethods")(c.req.path);
  if (allowed.length === 0 || allowed.includes(c.req.method)) return new AppError(notFound);
  return new AppError(methodNotAllowed, { headers: { Allow: allowed.join(", ") } });
}
