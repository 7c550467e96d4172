import { TAGS_BY_VR } from "./dictionary.gen.ts";

const VR_BY_TAG = unpack();

/**
 * The value representation of a tag if the data set does not have it (Implicit VR, PS3.5 §7.1.3); `UN` for tags that
 * neither the standard nor a rule names. "OB or OW" becomes OW (PS3.5 §A.1), "US or SS" becomes US: see
 * `isSignDependent`.
 */
export function dictionaryVr(tag: number): string {
  const element = tag & 0xffff;
  if (element === 0) return "UL";
  if (isPrivate(tag)) return isPrivateCreator(tag) ? "LO" : "UN";
  const vr = VR_BY_TAG.get(firstOfRepeatingGroup(tag));
  switch (vr) {
    case undefined:
      return "UN";
    case "xs":
    case "lt":
      return "US";
    case "ox":
      return "OW";
    default:
      return vr;
  }
}

/** Whether PixelRepresentation decides between US and SS for a tag (PS3.6 §6, "US or SS"). */
export function isSignDependent(tag: number): boolean {
  return VR_BY_TAG.get(tag) === "xs";
}

/** Private elements have an odd group (PS3.5 §7.8). */
export function isPrivate(tag: number): boolean {
  return ((tag >>> 16) & 1) === 1;
}

/** Reserves a block of private elements (PS3.5 §7.8.1). */
export function isPrivateCreator(tag: number): boolean {
  const element = tag & 0xffff;
  return isPrivate(tag) && element >= 0x10 && element <= 0xff;
}

/** Curves 50xx and overlays 60xx are listed once, under their first group (PS3.5 §7.6). */
export function firstOfRepeatingGroup(tag: number): number {
  const family = tag >>> 24;
  return family === 0x50 || family === 0x60 ? (tag & 0xff00ffff) >>> 0 : tag;
}

function unpack(): Map<number, string> {
  const vrByTag = new Map<number, string>();
  for (const [vr, packed] of Object.entries(TAGS_BY_VR)) {
    for (const group of packed.split(" ")) {
      for (let at = 5; at < group.length; at += 4) {
        vrByTag.set(Number.parseInt(group.slice(0, 4) + group.slice(at, at + 4), 16), vr);
      }
    }
  }
  return vrByTag;
}
