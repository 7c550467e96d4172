/** Before "DICM" (PS3.10 §7.1). */
export const PREAMBLE_BYTES = 128;
/** Where File Meta Information begins, behind "DICM". */
export const META_START = PREAMBLE_BYTES + 4;
const FILE_META = 0x0002;
const IDENTIFYING = 0x0008;

/**
 * Whether a file with these first bytes may be an instance: "DICM" after a preamble or at once, File Meta Information,
 * or a bare data set. The server rejects every file for which this is false as not DICOM.
 */
export function mayBeInstance(head: Uint8Array): boolean {
  if (hasPreamble(head) || isPrefixAt(head, 0)) return true;
  const [first, second] = head;
  if (first === undefined || second === undefined || head.length < 8) return false;
  const little = first | (second << 8);
  return little === FILE_META || little === IDENTIFYING || ((first << 8) | second) === IDENTIFYING;
}

/** Whether a file is a DICOM file of PS3.10 §7.1: "DICM" after a preamble of any 128 bytes. */
export function hasPreamble(head: Uint8Array): boolean {
  return isPrefixAt(head, PREAMBLE_BYTES);
}

function isPrefixAt(head: Uint8Array, at: number): boolean {
  return String.fromCharCode(...head.subarray(at, at + 4)) === "DICM";
}
