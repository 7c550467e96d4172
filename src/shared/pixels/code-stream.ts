/* What the main header of a JPEG 2000 code stream says (ITU-T T.800 §A.5, §A.6). */

/** Where the SIZ marker segment, which is the first one, describes the first component. */
const FIRST_COMPONENT = 42;
const BYTES_A_COMPONENT = 3;
const SIGNED = 0x80;
/** Marker segments before the one that is looked for. */
const MAX_SEGMENTS = 256;
const CODING_STYLE = 0xff52;
const TILE_PART = 0xff90;

interface Component {
  bits: number;
  isSigned: boolean;
}

/** The first component; those of an image in DICOM are alike. */
export function firstComponent(stream: Uint8Array): Component {
  const precision = stream[FIRST_COMPONENT] ?? 0;
  return { bits: (precision & ~SIGNED) + 1, isSigned: (precision & SIGNED) !== 0 };
}

export function componentCount(stream: Uint8Array): number {
  return viewOf(stream).getUint16(40);
}

export function imageSize(stream: Uint8Array): { columns: number; rows: number } {
  const view = viewOf(stream);
  return {
    columns: view.getUint32(8) - view.getUint32(16),
    rows: view.getUint32(12) - view.getUint32(20),
  };
}

/**
 * Returns a copy that says of its components that they are not signed. Those are stored as if each sample were 2^(bits - 1) less
 * (ITU-T T.800 §G.1), so that a decoder gives each sample as much more than before.
 */
export function withoutSign(stream: Uint8Array): Uint8Array {
  const copy = Uint8Array.from(stream);
  const end = FIRST_COMPONENT + componentCount(stream) * BYTES_A_COMPONENT;
  for (let at = FIRST_COMPONENT; at < end; at += BYTES_A_COMPONENT) copy[at] = (copy[at] ?? 0) & ~SIGNED;
  return copy;
}

/** Whether the stream holds three colours as one luminance and two differences (RCT, ICT), which decoders undo. */
export function hasColourTransform(stream: Uint8Array): boolean {
  const view = viewOf(stream);
  let at = 2;
  for (let read = 0; read < MAX_SEGMENTS && at + 9 <= stream.length; read++) {
    const marker = view.getUint16(at);
    if (marker === CODING_STYLE) return view.getUint8(at + 8) === 1;
    if (marker === TILE_PART) return false;
    at += 2 + view.getUint16(at + 2);
  }
  return false;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
