import { describe, expect, test } from "bun:test";
import { basename } from "node:path";
import { readCodec } from "../../../src/server/features/thumbnails/worker/read-codec.ts";
import { decodeFrame } from "../../../src/shared/pixels/decode-frame.ts";
import { greyTable, proposedVoi, type Voi } from "../../../src/shared/pixels/grey-table.ts";
import { type PreparedFrame, prepareFrame } from "../../../src/shared/pixels/prepare-frame.ts";
import { createCodecs } from "../../../src/shared/pixels/wasm-codec.ts";
import { drawByDcmtk, findDcmtk } from "../../support/dicom/dcmtk.ts";
import { type SampleFrame, sampleFrames } from "../../support/dicom/sample-frames.ts";
import { createTempFolder } from "../../support/temp-folder.ts";

const SAMPLES = process.env.DICOM_SAMPLES;
const dcmtk = findDcmtk();
const codecs = createCodecs(readCodec);
const TIMEOUT_MS = 120_000;

/** Syntaxes that lose precision: decoders may round their transforms apart. */
const LOSSY = /\.4\.(?:5[0135]|81|91)$/;
const LOSSY_BOUND = 3;

/** Files that DCMTK draws otherwise, and why ours is right. */
const DIFFERENT: Record<string, string> = {
  "IM_0027_fMAP.dcm": "its rescale is in the frame's functional groups, which dcmj2pnm does not read",
  "rtdose_expb.dcm": "32 bits in big-endian words; ours equals the little-endian file of the same image",
  "rtdose_expb_1frame.dcm": "as rtdose_expb.dcm",
  "SC_rgb_small_odd_big_endian.dcm": "the last byte of 27 is in the padding of a swapped word",
};

async function prepared(frame: SampleFrame): Promise<PreparedFrame | undefined> {
  const { bytes, pixels, transferSyntaxUID } = frame;
  try {
    return prepareFrame(await decodeFrame(bytes, pixels, transferSyntaxUID, codecs), pixels);
  } catch {
    return undefined;
  }
}

function drawnHere(frame: PreparedFrame, { pixels }: SampleFrame, voi: Voi | undefined): Uint8Array {
  if (frame.kind === "colour") return frame.bytes;
  const table = greyTable(frame, pixels, voi ?? proposedVoi(frame, pixels), pixels.isInverted);
  return Uint8Array.from(frame.indexes, (index) => table[index] ?? 0);
}

function largestDifference(ours: Uint8Array, theirs: Uint8Array): number {
  if (ours.length !== theirs.length) return Number.POSITIVE_INFINITY;
  return ours.reduce((most, level, i) => Math.max(most, Math.abs(level - (theirs[i] ?? 0))), 0);
}

describe.skipIf(!SAMPLES || !dcmtk)("the visor's pixels", () => {
  test(
    "equal what DCMTK draws, for each syntax and kind of pixels that it can draw",
    async () => {
      await using scratch = createTempFolder();
      const wrong: string[] = [];
      let compared = 0;
      for (const sample of sampleFrames(SAMPLES ?? "")) {
        const { file, frameIndex, transferSyntaxUID, pixels } = sample;
        const name = basename(file);
        const frame = await prepared(sample);
        const voi = frame?.kind === "grey" ? proposedVoi(frame, pixels) : undefined;
        const asked = voi?.kind === "window" ? voi.window : voi?.kind;
        const program = dcmtk?.(transferSyntaxUID) ?? "";
        const theirs = await drawByDcmtk(program, { file, frameIndex, voi: asked }, scratch.path);
        if (!theirs || DIFFERENT[name]) continue;
        compared++;
        const bound = LOSSY.test(transferSyntaxUID) ? LOSSY_BOUND : 1;
        const difference = frame
          ? largestDifference(drawnHere(frame, sample, voi), theirs.bytes)
          : Number.POSITIVE_INFINITY;
        if (difference > bound) wrong.push(`${name}: ${difference}`);
      }
      expect(wrong).toEqual([]);
      expect(compared).toBeGreaterThan(30);
    },
    TIMEOUT_MS,
  );
});
