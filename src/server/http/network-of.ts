/**
 * The network that identifies a caller to throttles and sign-ins: an IPv4 address, or the /64 of an IPv6 address, which
 * usually belongs to one line. An IPv4 address inside an IPv6 one (mapped, NAT64, 6to4) counts as that IPv4 address.
 */
export function networkOf(address: string): string {
  const plain = address.trim().toLowerCase().replace(/%.*$/, "");
  const groups = plain.includes(":") ? groupsOf(plain) : undefined;
  if (!groups) return plain;
  const [a, b, c, d, e, f, g, h] = groups;
  const isMapped = a + b + c + d + e === 0 && f === 0xffff;
  const isNat64 = a === 0x64 && b === 0xff9b && c + d + e + f === 0;
  if (isMapped || isNat64) return dotted(g, h);
  if (a === 0x2002) return dotted(b, c);
  return `${[a, b, c, d].map((group) => group.toString(16)).join(":")}::/64`;
}

type Groups = [number, number, number, number, number, number, number, number];

/** The eight groups of an IPv6 address in any of its spellings (RFC 4291 §2.2). */
function groupsOf(address: string): Groups | undefined {
  const [head = "", tail, ...more] = address.split("::");
  if (more.length > 0) return undefined;
  const before = listOf(head);
  const after = listOf(tail ?? "");
  const missing = 8 - before.length - after.length;
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined;
  const groups = [...before, ...Array<number>(missing).fill(0), ...after];
  return groups.every((group) => group >= 0 && group <= 0xffff) ? (groups as Groups) : undefined;
}

function listOf(part: string): number[] {
  if (part === "") return [];
  return part.split(":").flatMap((group, index, all) => {
    const isLast = index === all.length - 1;
    const bytes = isLast ? /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(group) : null;
    if (!bytes) return /^[0-9a-f]{1,4}$/.test(group) ? Number.parseInt(group, 16) : -1;
    const [w = 0, x = 0, y = 0, z = 0] = bytes.slice(1).map(Number);
    return [w * 256 + x, y * 256 + z];
  });
}

function dotted(high: number, low: number): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}
