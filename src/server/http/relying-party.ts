import { isIP } from "node:net";
import type { Config } from "../config.ts";

/** The site that passkeys are created for. It comes from PUBLIC_URL alone, never from a request. */
export interface RelyingParty {
  id: string;
  name: string;
  origin: string;
}

/**
 * Undefined if browsers allow no passkeys: PUBLIC_URL has an IP address instead of a name, or no https (`localhost` needs
 * none).
 */
export function relyingPartyOf({
  publicUrl,
  productName,
}: Pick<Config, "publicUrl" | "productName">): RelyingParty | undefined {
  const { hostname, origin, protocol } = new URL(publicUrl);
  const isLocal = hostname === "localhost" || hostname.endsWith(".localhost");
  const isAddress = isIP(hostname.replace(/^\[|\]$/g, "")) !== 0;
  if (isAddress || (protocol !== "https:" && !isLocal)) return undefined;
  return { id: hostname, name: productName, origin };
}
