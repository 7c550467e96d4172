import { describe, expect, test } from "bun:test";
import { createFrameLoader, type FrameFailure } from "../../../src/client/visor/core/frame-loader.ts";
import { buildStacks } from "../../../src/client/visor/core/stacks.ts";
import { autoVoi, draggedWindow, windowLimits } from "../../../src/client/visor/core/windows.ts";
import { placementOf } from "../../../src/client/visor/draw/placement.ts";
import type { DicomJson } from "../../../src/shared/dicom/dicom-json.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { decodeFrame } from "../../../src/shared/pixels/decode-frame.ts";
import { greyTable } from "../../../src/shared/pixels/grey-table.ts";
import { readPixelModule } from "../../../src/shared/pixels/pixel-module.ts";
import { type PreparedFrame, prepareFrame } from "../../../src/shared/pixels/prepare-frame.ts";

const EXPLICIT = "1.2.840.10008.1.2.1";
const RLE = "1.2.840.10008.1.2.5";

const us = (value: number) => ({ vr: "US", Value: [value] });
const ds = (...Value: unknown[]) => ({ vr: "DS", Value });
const series = {
  ...{ studyInstanceUID: "2.25.1", seriesInstanceUID: "2.25.2", seriesNumber: 1 },
  ...{ modality: "CT", description: "", instanceCount: 1 },
};

function instance(changed: DicomJson = {}, number = 1): DicomJson {
  return {
    [TagHex.SOPInstanceUID]: { vr: "UI", Value: [`2.25.3.${number}`] },
    [TagHex.InstanceNumber]: { vr: "IS", Value: [number] },
    [TagHex.PhotometricInterpretation]: { vr: "CS", Value: ["MONOCHROME2"] },
    [TagHex.Rows]: us(4),
    [TagHex.Columns]: us(4),
    [TagHex.BitsAllocated]: us(16),
    [TagHex.BitsStored]: us(12),
    ...changed,
  };
}

/** What becomes of an instance's frame, whose bytes are these: a picture or a failure, which is a sentence on the screen. */
async function opened(
  changed: DicomJson,
  { bytes = new Uint8Array(32), transferSyntaxUID = EXPLICIT } = {},
): Promise<PreparedFrame | FrameFailure> {
  const [stack] = buildStacks(series, [instance(changed)]);
  const [slice] = stack?.slices ?? [];
  if (!stack || !slice) throw new Error("no stack");
  const { promise, resolve } = Promise.withResolvers<void>();
  const loader = createFrameLoader({
    source: { readFrame: async () => ({ bytes, transferSyntaxUID }) },
    decode: async (encoded, pixels) => {
      const codecs = {
        decode: () => Promise.reject(new Error("no codec is needed")),
        warm: async () => undefined,
      };
      const decoded = await decodeFrame(encoded.bytes, pixels, encoded.transferSyntaxUID, codecs);
      return prepareFrame(decoded, pixels);
    },
    maxBytes: 1_000_000,
    waitsMs: [],
    onChange: () => resolve(),
  });
  loader.focus(stack.slices, 0);
  await promise;
  return loader.failure(slice) ?? loader.frame(slice) ?? "lost";
}

/** Every number that is drawn with is finite. */
function expectDrawable(frame: PreparedFrame | FrameFailure, changed: DicomJson): void {
  if (typeof frame === "string" || frame.kind !== "grey") throw new Error("no grey picture");
  const pixels = readPixelModule(instance(changed), 0);
  const limits = windowLimits(frame, pixels);
  const voi = autoVoi(frame, pixels);
  const window = voi.kind === "window" ? voi.window : { center: 0, width: 1 };
  const moved = draggedWindow(window, { x: 40, y: -40 }, limits);
  const { a, d } = placementOf(
    { zoom: 1, panX: 0, panY: 0, quarters: 0, isFlipped: false },
    { rows: 4, columns: 4, pixelAspect: pixels.pixelAspect, width: 300, height: 200 },
  );
  for (const number of [...Object.values(limits), moved.center, moved.width, a, d])
    expect(number).toBeWithin(-1e18, 1e18);
  expect(greyTable(frame, pixels, voi, false)).toHaveLength(frame.levels);
}

describe("an instance that lies about itself ends in a sentence", () => {
  const cases: [what: string, DicomJson, FrameFailure, { bytes?: Uint8Array<ArrayBuffer> }?][] = [
    [
      "rows and columns beyond its bytes",
      { [TagHex.Rows]: us(4_000), [TagHex.Columns]: us(4_000) },
      "undecodable",
    ],
    [
      "rows and columns beyond all memory",
      { [TagHex.Rows]: us(65_535), [TagHex.Columns]: us(65_535) },
      "unsupported",
    ],
    ["no rows", { [TagHex.Rows]: us(0) }, "undecodable"],
    ["half a row", { [TagHex.Rows]: us(1.5) }, "undecodable"],
    ["250 samples a pixel", { [TagHex.SamplesPerPixel]: us(250) }, "undecodable"],
    [
      "65,535 bits a sample",
      { [TagHex.BitsAllocated]: us(65_535) },
      "unsupported",
      { bytes: new Uint8Array(200_000) },
    ],
    [
      "a palette without tables",
      { [TagHex.PhotometricInterpretation]: { vr: "CS", Value: ["PALETTE COLOR"] } },
      "undecodable",
    ],
    ["no bytes at all", {}, "undecodable", { bytes: new Uint8Array() }],
  ];
  for (const [what, changed, failure, given] of cases) {
    test(what, async () => {
      expect(await opened(changed, given)).toBe(failure);
    });
  }

  test("run lengths that lie", async () => {
    const bytes = new Uint8Array(new Uint32Array([2, 64, 4_000_000_000, ...Array(13).fill(0)]).buffer);
    expect(await opened({}, { bytes, transferSyntaxUID: RLE })).toBe("undecodable");
  });
});

describe("an instance with values that are no values is drawn as far as it can be", () => {
  const cases: [what: string, DicomJson][] = [
    ["a window of NaN", { [TagHex.WindowCenter]: ds("NaN"), [TagHex.WindowWidth]: ds("NaN") }],
    ["a window without width", { [TagHex.WindowCenter]: ds(40), [TagHex.WindowWidth]: ds(0) }],
    [
      "a window beyond all numbers",
      { [TagHex.WindowCenter]: ds("1e308"), [TagHex.WindowWidth]: ds("1e308") },
    ],
    ["zero spacing", { [TagHex.PixelSpacing]: ds(0, 0) }],
    [
      "a rescale beyond all numbers",
      { [TagHex.RescaleSlope]: ds("1e308"), [TagHex.RescaleIntercept]: ds("-1e308") },
    ],
    ["a rescale of nothing", { [TagHex.RescaleSlope]: ds(0), [TagHex.RescaleIntercept]: ds("x") }],
    ["more bits stored than there are", { [TagHex.BitsStored]: us(64), [TagHex.HighBit]: us(99) }],
  ];
  for (const [what, changed] of cases) {
    test(what, async () => {
      expectDrawable(await opened(changed), changed);
    });
  }

  test("and has no lengths without a spacing", () => {
    const [stack] = buildStacks(series, [instance({ [TagHex.PixelSpacing]: ds(0, 0) })]);
    expect(stack?.slices[0]?.geometry.spacing).toBeUndefined();
  });
});

describe("a series that claims more than there is", () => {
  test("of which each of 300 films claims two thousand million frames has as many slices as fit", () => {
    const claimed = { [TagHex.NumberOfFrames]: { vr: "IS", Value: [2 ** 31] } };
    const films = buildStacks(
      series,
      Array.from({ length: 300 }, (_, at) => instance(claimed, at)),
    );
    expect(films).toHaveLength(300);
    expect(films.every(({ isCut, slices }) => isCut && slices.length > 0)).toBe(true);
    expect(films.reduce((sum, { slices }) => sum + slices.length, 0)).toBeLessThan(70_000);
  });

  test("and of which most frames are lost is not asked for to its end", async () => {
    const [stack] = buildStacks(series, [
      instance({ [TagHex.NumberOfFrames]: { vr: "IS", Value: [5_000] } }),
    ]);
    const picture = await opened({});
    if (!stack || typeof picture === "string") throw new Error("no picture");
    let asked = 0;
    const { promise, resolve } = Promise.withResolvers<void>();
    const loader = createFrameLoader({
      source: {
        readFrame: async ({ frameIndex }) => {
          asked++;
          if (frameIndex > 0) throw new TypeError("answer 404");
          return { bytes: new Uint8Array(32), transferSyntaxUID: EXPLICIT };
        },
      },
      decode: async () => picture,
      maxBytes: 1_000_000_000,
      waitsMs: [],
      onChange: () => (asked >= 64 ? setTimeout(resolve) : undefined),
    });
    loader.focus(stack.slices, 0);
    await promise;
    expect(asked).toBeLessThan(100);
    const last = stack.slices[4_999];
    loader.focus(stack.slices, 4_999);
    await new Promise((done) => setTimeout(done));
    expect(last && loader.failure(last)).toBe("lost");
    expect(asked).toBeLessThan(100);
    loader.close();
  });
});
