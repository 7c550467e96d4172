import type { DicomElements } from "../../../src/server/dicom/write-instance.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import type { SampleInstance } from "../zip/sample-zip.ts";

export const SLICE_SIDE = 256;

const us = (value: number) => ({ vr: "US", Value: [value] });

/** Signed samples of a round body with structures and noise, the same each time. */
export function sliceSamples(seed: number, side = SLICE_SIDE): Int16Array {
  const samples = new Int16Array(side * side);
  let state = seed + 1;
  for (let i = 0; i < samples.length; i++) {
    const [x, y] = [i % side, Math.floor(i / side)];
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const noise = (state >>> 28) - 8;
    const isBody = Math.hypot(x - side / 2, y - side / 2) < side * 0.4;
    samples[i] = isBody ? Math.round(60 * Math.sin((x + seed) / 17) * Math.cos(y / 23)) + noise : -1000;
  }
  return samples;
}

/** The attributes and samples of such a slice of 12 bits in words. */
export function sliceElements(seed: number): DicomElements {
  return {
    [TagHex.Rows]: us(SLICE_SIDE),
    [TagHex.Columns]: us(SLICE_SIDE),
    [TagHex.BitsStored]: us(12),
    [TagHex.HighBit]: us(11),
    [TagHex.PixelRepresentation]: us(1),
    [TagHex.PixelData]: { vr: "OW", bytes: new Uint8Array(sliceSamples(seed).buffer) },
  };
}

/** Slices of one series of a study, more than 1 MB together. */
export function noisySlices(study: string, count = 9): SampleInstance[] {
  return Array.from({ length: count }, (_, place) => ({
    study,
    sop: `${place + 1}`,
    instanceNumber: place + 1,
    elements: sliceElements(place),
  }));
}
