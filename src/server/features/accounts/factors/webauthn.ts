import { isIP } from "node:net";
import type { Config } from "../../../config.ts";

/** Who passkeys are made for. They come from PUBLIC_URL alone, never from a request. */
export interface RelyingParty {
  id: string;
  name: string;
  origin: string;
}

/** Undefined where browsers allow no passkeys: an address instead of a name, or no https (`localhost` needs none). */
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

let loaded: ReturnType<typeof load> | undefined;

/** The library, which takes 27 MB and 0.1 s: loaded by the first who wants a passkey. */
export async function loadWebAuthn(): ReturnType<typeof load> {
  loaded ??= load();
  return await loaded;
}

async function load() {
  // Must be there before the library's certificate reader, and a bundler keeps only the order of awaited imports.
  await import("reflect-metadata");
  const [server, helpers] = [
    await import("@simplewebauthn/server"),
    await import("@simplewebauthn/server/helpers"),
  ];
  return { ...server, ...helpers };
}
