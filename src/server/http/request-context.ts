import type { MiddlewareHandler } from "hono";
import { pickLocale } from "../../shared/locale.ts";
import type { HttpEnv } from "./http-context.ts";

interface PeerLookup {
  requestIP(request: Request): { address: string } | null;
}

/** Gives each request an id, the address it came from and the language its answers are in. */
export function requestContext(options: { trustProxy: string[] }): MiddlewareHandler<HttpEnv> {
  const trusted = new Set(options.trustProxy);
  return async (c, next) => {
    const server = (c.env as { server?: PeerLookup } | undefined)?.server;
    const peer = plainAddress(server?.requestIP(c.req.raw)?.address ?? "127.0.0.1");
    c.set("requestId", Bun.randomUUIDv7());
    c.set("address", clientAddress(peer, c.req.header("x-forwarded-for"), trusted));
    c.set("locale", pickLocale(c.req.header("accept-language")));
    await next();
    c.res.headers.set("X-Request-Id", c.get("requestId"));
  };
}

/** The nearest hop that is not a trusted proxy; a header is believed only from a trusted peer. */
function clientAddress(peer: string, forwardedFor: string | undefined, trusted: Set<string>): string {
  const hops = [
    ...(forwardedFor ?? "")
      .split(",")
      .slice(-32)
      .map((hop) => plainAddress(hop.trim())),
    peer,
  ];
  let address = hops.pop() ?? peer;
  while (trusted.has(address) && hops.length > 0) address = hops.pop() || address;
  return address;
}

function plainAddress(address: string): string {
  return address.startsWith("::ffff:") ? address.slice("::ffff:".length) : address;
}
