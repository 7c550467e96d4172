import { TagHex } from "../../../src/shared/dicom/tags.ts";

/** Of each frame, in pixels. */
export const SIDE = 64;
const number = (vr: string, value: number) => ({ vr, Value: [value] });

/** Two frames of 64 × 64 pixels of 16 bits, from 0 to 4,095; the second is the first from the other end. */
export const twoFrames = {
  [TagHex.Rows]: number("US", SIDE),
  [TagHex.Columns]: number("US", SIDE),
  [TagHex.NumberOfFrames]: number("IS", 2),
  [TagHex.BitsAllocated]: number("US", 16),
  [TagHex.BitsStored]: number("US", 16),
  [TagHex.HighBit]: number("US", 15),
  [TagHex.PixelRepresentation]: number("US", 0),
  [TagHex.SamplesPerPixel]: number("US", 1),
  [TagHex.PhotometricInterpretation]: { vr: "CS", Value: ["MONOCHROME2"] },
  [TagHex.PixelData]: {
    vr: "OW",
    bytes: new Uint8Array(
      Uint16Array.from({ length: 2 * SIDE * SIDE }, (_, i) => (i < SIDE * SIDE ? i : 2 * SIDE * SIDE - i - 1))
        .buffer,
    ),
  },
};
