interface ValueRepresentation {
  vr: string;
  /** Whether the explicit header has two reserved bytes and a 32-bit length (PS3.5 §7.1.2). */
  longForm: boolean;
}

/** VRs with a 16-bit length in an explicit header (PS3.5 §7.1.2). */
export const SHORT_FORM: ReadonlySet<string> = new Set(
  "AE AS AT CS DA DS DT FD FL IS LO LT PN SH SL SS ST TM UI UL US".split(" "),
);
/** VRs with a 32-bit length in an explicit header. */
export const LONG_FORM: ReadonlySet<string> = new Set("OB OD OF OL OV OW SQ SV UC UN UR UT UV".split(" "));

const BY_CODE = new Map<number, ValueRepresentation>(
  [...SHORT_FORM, ...LONG_FORM].map((vr) => [
    (vr.charCodeAt(0) << 8) | vr.charCodeAt(1),
    { vr, longForm: LONG_FORM.has(vr) },
  ]),
);

/** The VR whose two letters form the big-endian number `code`, as they follow the tag in Explicit VR. */
export function valueRepresentationOf(code: number): ValueRepresentation | undefined {
  return BY_CODE.get(code);
}

/** Two capital letters that are not a known VR: from a later edition, or a writer's mistake. */
export function looksLikeVr(code: number): boolean {
  const isCapital = (letter: number) => letter >= 0x41 && letter <= 0x5a;
  return isCapital(code >>> 8) && isCapital(code & 0xff);
}
