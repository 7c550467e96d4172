const WORD_BYTES: ReadonlyMap<string, number> = new Map(
  Object.entries({
    OW: 2,
    OF: 4,
    OL: 4,
    OD: 8,
    OV: 8,
    AT: 2,
    US: 2,
    SS: 2,
    UL: 4,
    SL: 4,
    FL: 4,
    FD: 8,
    SV: 8,
    UV: 8,
  }),
);

/** Bytes of one word or number of a VR, the unit that big-endian files swap; 1 for OB, UN and texts. */
export function wordBytes(vr: string): number {
  return WORD_BYTES.get(vr) ?? 1;
}
