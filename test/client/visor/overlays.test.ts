import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { askForBulkData } from "../../../src/client/visor/core/bulk-data-answer.ts";
import { overlayPlanes, readOverlay } from "../../../src/client/visor/core/overlay-planes.ts";
import { hasOverlays } from "../../../src/client/visor/core/overlays.ts";
import { type BulkDataRange, SourceUnreadable } from "../../../src/client/visor/core/source.ts";
import { buildStacks, type Slice } from "../../../src/client/visor/core/stacks.ts";
import { overlayPicture, overlayStep } from "../../../src/client/visor/draw/overlay-picture.ts";
import {
  LOCAL_LIMITS,
  type LocalArchive,
  openLocalArchive,
} from "../../../src/client/visor/local/local-archive.ts";
import type { DicomElements } from "../../../src/server/dicom/write-instance.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { drawOverlaysByDcmtk, findDcmtk } from "../../support/dicom/dcmtk.ts";
import { EXPLICIT_BIG_ENDIAN, EXPLICIT_LITTLE_ENDIAN, sampleFile } from "../../support/dicom/dicom-sample.ts";
import { spentMs } from "../../support/spent-time.ts";
import { createTempFolder } from "../../support/temp-folder.ts";

const SAMPLES = process.env.DICOM_SAMPLES;
const dcmtk = findDcmtk();
const [ROWS, COLUMNS] = [40, 30];
const us = (value: number) => ({ vr: "US", Value: [value] });
const text = (vr: string, ...Value: unknown[]) => ({ vr, Value });

/** Bits that look like no others, in words of the syntax. */
function noise(bits: number, seed: number): Uint8Array {
  const bytes = new Uint8Array(Math.ceil(bits / 16) * 2);
  for (let at = 0, state = seed; at < bytes.length; at++) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    bytes[at] = (state >>> 16) & (state >>> 8);
  }
  return bytes;
}

interface OverlayOfTest {
  group?: string;
  rows?: number;
  columns?: number;
  origin?: [number, number];
  type?: string;
  frames?: number;
  firstFrame?: number;
  bytes?: Uint8Array;
}

function overlay(of: OverlayOfTest = {}): DicomElements {
  const {
    group = "6000",
    rows = ROWS,
    columns = COLUMNS,
    origin = [1, 1],
    type = "G",
    frames,
    firstFrame,
  } = of;
  const bytes =
    of.bytes ?? noise(rows * columns * (frames ?? 1), rows + columns + Number.parseInt(group, 16));
  return {
    [`${group}0010`]: us(rows),
    [`${group}0011`]: us(columns),
    ...(frames !== undefined && { [`${group}0015`]: text("IS", frames) }),
    [`${group}0040`]: text("CS", type),
    [`${group}0050`]: text("SS", ...origin),
    ...(firstFrame !== undefined && { [`${group}0051`]: us(firstFrame) }),
    [`${group}0100`]: us(1),
    [`${group}0102`]: us(0),
    [`${group}3000`]: { vr: "OW", bytes },
  };
}

/** A black image, so that DCMTK draws the overlays alone. */
const image = (elements: DicomElements, { frames = 1, bits = 16 } = {}): DicomElements => ({
  [TagHex.Rows]: us(ROWS),
  [TagHex.Columns]: us(COLUMNS),
  [TagHex.BitsAllocated]: us(bits),
  [TagHex.BitsStored]: us(bits - 4),
  [TagHex.HighBit]: us(bits - 5),
  ...(frames > 1 && { [TagHex.NumberOfFrames]: text("IS", frames) }),
  [TagHex.PixelData]: { vr: "OW", bytes: new Uint8Array((ROWS * COLUMNS * frames * bits) / 8) },
  ...elements,
});

/** Samples with an overlay in their highest bit, and values below it. */
function embedded(bits: 8 | 16, bit = bits - 1): DicomElements {
  const drawn = noise(ROWS * COLUMNS, 7);
  const bytes = new Uint8Array((ROWS * COLUMNS * bits) / 8);
  for (let at = 0; at < ROWS * COLUMNS; at++) {
    const isSet = ((drawn[at >>> 3] ?? 0) >>> (at & 7)) & 1;
    bytes[bits === 8 ? at : at * 2 + 1] = isSet << (bit % 8);
  }
  return {
    ...image({}, { bits }),
    "60000010": us(ROWS),
    "60000011": us(COLUMNS),
    "60000040": text("CS", "G"),
    "60000050": text("SS", 1, 1),
    "60000100": us(bits),
    "60000102": us(bit),
    [TagHex.PixelData]: { vr: "OW", bytes },
  };
}

async function opened(file: Uint8Array): Promise<{ slices: Slice[]; archive: LocalArchive }> {
  const blob = new Blob([file as BlobPart]);
  const archive = await openLocalArchive(
    [{ path: "IM", blob }],
    (_, offset, length) => file.slice(offset, offset + length) as Uint8Array<ArrayBuffer>,
    { limits: LOCAL_LIMITS, onRead: () => undefined },
  );
  const series = archive.exams.studies[0]?.series[0];
  if (!series) throw new Error("no series");
  const slices = buildStacks(series, archive.metadata(series)).flatMap((stack) => stack.slices);
  return { slices, archive };
}

/** What is drawn over a frame: 255 for each pixel that is set. */
async function drawnHere(file: Uint8Array, frameIndex = 0): Promise<Uint8Array> {
  const { slices, archive } = await opened(file);
  const slice = slices.find((one) => one.frameIndex === frameIndex);
  if (!slice) throw new Error("no such frame");
  const read = async ({ sopInstanceUID }: { sopInstanceUID: string }, range: BulkDataRange) =>
    archive.bulkData(sopInstanceUID, range);
  const { signal } = new AbortController();
  const overlays = await Promise.all(
    overlayPlanes(slice).map((plane) => readOverlay(plane, slice, { read, signal })),
  );
  const size = {
    rows: Number(slice.metadata[TagHex.Rows]?.Value?.[0]),
    columns: Number(slice.metadata[TagHex.Columns]?.Value?.[0]),
  };
  const found = overlays.flatMap((one) => one ?? []);
  return overlayPicture(found, size, 1)
    .filter((_, at) => at % 4 === 3)
    .map((opacity) => (opacity > 0 ? 255 : 0)) as unknown as Uint8Array;
}

const CASES: Record<string, DicomElements> = {
  "one overlay of the image's size": image(overlay()),
  "an overlay of odd size within the image": image(overlay({ rows: 13, columns: 11, origin: [5, 7] })),
  "one that begins before the image and ends behind it": image(
    overlay({ rows: 60, columns: 50, origin: [-6, -3] }),
  ),
  "overlays of several groups, one of them a region": image({
    ...overlay({ rows: 10, columns: 9 }),
    ...overlay({ group: "6002", rows: 9, columns: 10, origin: [20, 15], type: "R" }),
    ...overlay({ group: "601E", rows: 3, columns: 3, origin: [36, 26] }),
  }),
  "an overlay that is asked for as bulk data": image(
    overlay({ rows: 200, columns: 100, origin: [-20, -30] }),
  ),
  "frames that do not begin at a byte": image(overlay({ rows: 7, columns: 9, frames: 3 }), { frames: 3 }),
  "frames from the second of the image on": image(
    overlay({ rows: 7, columns: 9, frames: 2, firstFrame: 2 }),
    { frames: 4 },
  ),
  "bits in samples of 16": embedded(16),
  "bits in samples of 8": embedded(8),
};

describe.skipIf(!dcmtk)("overlays", () => {
  for (const [what, elements] of Object.entries(CASES)) {
    test(`are drawn as DCMTK draws them: ${what}`, async () => {
      await using scratch = createTempFolder();
      let set = 0;
      for (const transferSyntaxUID of [EXPLICIT_LITTLE_ENDIAN, EXPLICIT_BIG_ENDIAN]) {
        const file = sampleFile(swappedFor(transferSyntaxUID, elements), { transferSyntaxUID });
        const path = join(scratch.path, "overlay.dcm");
        await Bun.write(path, file);
        const frames = Number(elements[TagHex.NumberOfFrames]?.Value?.[0] ?? 1);
        for (let frameIndex = 0; frameIndex < frames; frameIndex++) {
          const theirs = await drawOverlaysByDcmtk(
            dcmtk?.(transferSyntaxUID) ?? "",
            { file: path, frameIndex },
            scratch.path,
          );
          expect(theirs?.bytes).toHaveLength(ROWS * COLUMNS);
          set += theirs?.bytes.filter(Boolean).length ?? 0;
          expect(Buffer.from(await drawnHere(file, frameIndex)).toString("hex")).toBe(
            Buffer.from(theirs?.bytes ?? []).toString("hex"),
          );
        }
      }
      expect(set).toBeGreaterThan(20);
    });
  }

  test.skipIf(!SAMPLES)("of a real image set the pixels that DCMTK draws white", async () => {
    await using scratch = createTempFolder();
    const file = join(SAMPLES ?? "", "pydicom/test_files/examples_overlay.dcm");
    const program = dcmtk?.(EXPLICIT_LITTLE_ENDIAN) ?? "";
    const theirs = await drawOverlaysByDcmtk(program, { file, frameIndex: 0 }, scratch.path);
    const ours = await drawnHere(await Bun.file(file).bytes());
    const set = [...ours.keys()].filter((at) => ours[at]);
    expect(set.length).toBeGreaterThan(100);
    expect(set.filter((at) => theirs?.bytes[at] !== 255)).toEqual([]);
  });
});

/** Words of a big-endian file. */
function swappedFor(transferSyntaxUID: string, elements: DicomElements): DicomElements {
  if (transferSyntaxUID !== EXPLICIT_BIG_ENDIAN) return elements;
  const entries = Object.entries(elements).map(([tag, element]) => {
    if (!element.bytes) return [tag, element];
    return [tag, { ...element, bytes: Uint8Array.from(Buffer.from(element.bytes).swap16()) }];
  });
  return Object.fromEntries(entries);
}

describe("an overlay", () => {
  const count = (drawn: Uint8Array) => drawn.filter(Boolean).length;

  test("lies over each frame if it counts none, and over the first if it counts one", async () => {
    const bytes = new Uint8Array(8).fill(255);
    const over = (of: OverlayOfTest) =>
      sampleFile(image(overlay({ rows: 8, columns: 8, bytes, ...of }), { frames: 3 }));
    expect(count(await drawnHere(over({}), 2))).toBe(64);
    expect(count(await drawnHere(over({ frames: 1 }), 0))).toBe(64);
    expect(count(await drawnHere(over({ frames: 1 }), 2))).toBe(0);
    expect(count(await drawnHere(over({ frames: 1, firstFrame: 3 }), 2))).toBe(64);
  });

  test("that claims more pixels than it has bits draws nothing and takes no memory", async () => {
    for (const [rows, columns] of [
      [65_535, 65_535],
      [8_000, 8_000],
      [0, 10],
    ] as const) {
      const file = sampleFile(image(overlay({ rows, columns, bytes: new Uint8Array(8).fill(255) })));
      expect(count(await drawnHere(file))).toBe(0);
    }
    const { "60003000": _, ...without } = overlay();
    expect(count(await drawnHere(sampleFile(image(without))))).toBe(0);
  });

  test("is no bit of the image's own values, and none of compressed pixels", async () => {
    const own = { ...embedded(16), "60000102": us(11) };
    expect(count(await drawnHere(sampleFile(own)))).toBe(0);
    expect(count(await drawnHere(sampleFile({ ...embedded(16), "60000010": us(20) })))).toBe(0);
    const { slices, archive } = await opened(
      sampleFile(
        { ...embedded(16), [TagHex.PixelData]: { vr: "OB", fragments: [new Uint8Array(4_000)] } },
        { transferSyntaxUID: "1.2.840.10008.1.2.4.90" },
      ),
    );
    const [slice] = slices;
    const [plane] = slice ? overlayPlanes(slice) : [];
    if (!slice || !plane) throw new Error("no overlay");
    const read = async (_: unknown, range: BulkDataRange) => archive.bulkData("2.25.30", range);
    const { signal } = new AbortController();
    expect(await readOverlay(plane, slice, { read, signal })).toBeUndefined();
  });

  test("is looked for only where an image says that it has one", async () => {
    expect(hasOverlays({})).toBe(false);
    expect(hasOverlays({ "601E0010": us(1) })).toBe(true);
    expect(hasOverlays({ "60200010": us(1), "60010010": us(1) })).toBe(false);
  });

  test("keeps thin lines where the image is seen smaller, in a picture that a phone can hold", () => {
    const bits = new Uint8Array(8);
    bits[3] = 0b0000_1000;
    const dot = { rows: 8, columns: 8, top: 0, left: 0, isRegion: false, bits };
    const small = overlayPicture([dot], { rows: 8, columns: 8 }, 4);
    expect([...small].filter((_, at) => at % 4 === 3)).toEqual([255, 0, 0, 0]);
    expect(overlayStep({ rows: 1_000, columns: 1_000 }, 0.3)).toBe(3);
    expect(overlayStep({ rows: 1_000, columns: 1_000 }, 4)).toBe(1);
    expect(overlayStep({ rows: 8_000, columns: 8_000 }, 4)).toBe(2);
    expect(overlayStep({ rows: 30, columns: 40 }, 0)).toBe(40);
  });

  test("much larger than its image costs no more than the image", () => {
    const bits = new Uint8Array(8_000_000).fill(255);
    const huge = { rows: 8_000, columns: 8_000, top: -4_000, left: -4_000, isRegion: false, bits };
    const sinceMs = spentMs();
    const drawn = overlayPicture(Array(16).fill(huge), { rows: 10, columns: 10 }, 1);
    expect(spentMs() - sinceMs).toBeLessThan(500);
    expect([...drawn].filter((_, at) => at % 4 === 3)).toEqual(Array(100).fill(255));
  });

  test("is no part of a compressed frame, which a server answers for pixel data of one", async () => {
    const answered = (type: string) =>
      askForBulkData(
        async () => new Response(new Uint8Array(8), { headers: { "Content-Type": type } }),
        { studyInstanceUID: "1", seriesInstanceUID: "2", sopInstanceUID: "3" },
        { tag: TagHex.PixelData, offset: 2, length: 6 },
        new AbortController().signal,
      );
    expect(await answered("application/octet-stream")).toHaveLength(6);
    const compressed = answered("application/octet-stream; transfer-syntax=1.2.840.10008.1.2.4.90");
    expect(compressed).rejects.toBeInstanceOf(SourceUnreadable);
  });
});
