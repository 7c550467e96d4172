const WORD_BYTES: Readonly<Record<string, number>> = { OW: 2, OF: 4, OL: 4, OD: 8, OV: 8 };

/** Bytes of one word of a binary VR, the unit that big-endian files swap; 1 for OB, UN and all others. */
export function wordBytes(vr: string): number {
  return WORD_BYTES[vr] ?? 1;
}
