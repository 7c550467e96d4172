import { isIP } from "node:net";
import type { MiddlewareHandler } from "hono";
import { pickLocale } from "../../shared/locale.ts";
import type { HttpEnv } from "./http-context.ts";
import { createSenderSlots } from "./sender-slots.ts";
import { serverOf } from "./server-of.ts";
import { type TrustedPeers, trustPeers } from "./trusted-peers.ts";

/** How many proxies in a row are looked through. */
const MAX_HOPS = 32;
/** How many JSON bodies arrive at once: long ones of at most 256 kB each, and short ones, which these never keep out. */
const LONG_BODIES = { perProcess: 96, perSender: 48 };
const SHORT_BODIES = { perProcess: 512, perSender: 256 };

export interface RequestContextOptions {
  trustProxy: readonly string[];
  /** Unset, every address that nothing answers is unknown. */
  allowedMethods?: HttpEnv["Variables"]["allowedMethods"];
}

/** Gives each request its id, the caller's address, the language of its answers and what is known of its address. */
export function requestContext(options: RequestContextOptions): MiddlewareHandler<HttpEnv> {
  const { allowedMethods = () => [] } = options;
  const trusted = trustPeers(options.trustProxy);
  const bodies = { long: createSenderSlots(LONG_BODIES), short: createSenderSlots(SHORT_BODIES) };
  return async (c, next) => {
    const peer = plainAddress(serverOf(c)?.requestIP(c.req.raw)?.address ?? "127.0.0.1");
    c.set("bodies", bodies);
    c.set("allowedMethods", allowedMethods);
    c.set("requestId", Bun.randomUUIDv7());
    c.set("address", clientAddress(peer, c.req.header("x-forwarded-for"), trusted));
    c.set("locale", pickLocale(c.req.header("accept-language")));
    await next();
    c.res.headers.set("X-Request-Id", c.get("requestId"));
  };
}

/**
 * The nearest hop that is not a trusted proxy. Only headers of trusted peers are believed. If a proxy passes something
 * other than an address (`unknown`, nothing), the search ends with that proxy.
 */
function clientAddress(peer: string, forwardedFor: string | undefined, trusted: TrustedPeers): string {
  const hops = (forwardedFor ?? "").split(",").slice(-MAX_HOPS).map(addressOfHop);
  let address = peer;
  while (trusted.has(address)) {
    const hop = hops.pop();
    if (hop === undefined) break;
    address = hop;
  }
  return address;
}

/** Some proxies write the port behind the address: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function addressOfHop(hop: string): string | undefined {
  const text = hop.trim();
  const [, bracketed, dotted] = /^\[([^\]]+)\](?::\d+)?$|^([0-9.]+):\d+$/.exec(text) ?? [];
  const address = plainAddress(bracketed ?? dotted ?? text);
  return isIP(address) === 0 ? undefined : address;
}

function plainAddress(address: string): string {
  return address.toLowerCase().startsWith("::ffff:") && address.includes(".")
    ? address.slice("::ffff:".length)
    : address;
}
