import { toStoredCt } from "../../../shared/phantom/ct-stored.ts";
import { createHead } from "../../../shared/phantom/head.ts";
import { renderCtHeadSlice } from "../../../shared/phantom/head-ct.ts";
import type { Head } from "../../../shared/phantom/head-section.ts";
import { SAMPLE_SEED, SAMPLE_SIZE, type SampleSlice, sampleStack } from "./sample-exam.ts";

let head: Head | undefined;

/** Computes one slice of the sample: its stored values, as in an uncompressed instance. */
export function drawSample({ kernel, index }: SampleSlice): Uint8Array<ArrayBuffer> {
  head ??= createHead(SAMPLE_SEED, SAMPLE_SIZE);
  const raster = renderCtHeadSlice(head, SAMPLE_SIZE, sampleStack.heights[index] ?? 0, kernel);
  const stored = new Int16Array(toStoredCt(raster));
  return new Uint8Array(stored.buffer);
}
