import { BlockList, isIP } from "node:net";

/** The peers whose `X-Forwarded-For` is trusted. */
export interface TrustedPeers {
  has(address: string): boolean;
}

/**
 * Addresses and CIDR ranges of IPv4 and IPv6, such as `10.0.0.0/8` and `fd00::/8`. An IPv4-mapped IPv6 address is the
 * IPv4 address it maps.
 * @throws {RangeError} that names the first invalid entry
 */
export function trustPeers(entries: readonly string[]): TrustedPeers {
  const list = new BlockList();
  for (const entry of entries) addTo(list, entry);
  return {
    has(address) {
      const family = familyOf(address);
      return family !== undefined && list.check(address, family);
    },
  };
}

/** Whether `trustPeers` takes an entry. */
export function isPeer(entry: string): boolean {
  try {
    trustPeers([entry]);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

function addTo(list: BlockList, entry: string): void {
  const [, address = "", prefix] = /^([0-9a-f.:]+)(?:\/(\d{1,3}))?$/i.exec(entry) ?? [];
  const family = familyOf(address);
  const bits = family === "ipv6" ? 128 : 32;
  if (family === undefined || Number(prefix ?? bits) > bits) throw new RangeError(entry);
  list.addSubnet(address, Number(prefix ?? bits), family);
}

function familyOf(address: string): "ipv4" | "ipv6" | undefined {
  switch (isIP(address)) {
    case 4:
      return "ipv4";
    case 6:
      return "ipv6";
    default:
      return undefined;
  }
}
