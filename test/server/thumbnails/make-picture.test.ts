import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readInstance } from "../../../src/server/dicom/read-instance.ts";
import type { DicomElements } from "../../../src/server/dicom/write-instance.ts";
import { makePicture } from "../../../src/server/features/thumbnails/worker/make-picture.ts";
import type { PictureReply } from "../../../src/server/features/thumbnails/worker/picture-messages.ts";
import { memorySource } from "../../../src/shared/dicom/reading/memory-source.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { encoders, type PixelFrame } from "../../support/dicom/compressed-pixels.ts";
import { cutFrame } from "../../support/dicom/cut-frame.ts";
import {
  DEFLATED,
  EXPLICIT_BIG_ENDIAN,
  EXPLICIT_LITTLE_ENDIAN,
  IMPLICIT_LITTLE_ENDIAN,
  sampleFile,
} from "../../support/dicom/dicom-sample.ts";
import { type DrawnPicture, drawnPicture } from "../../support/dicom/picture-pixels.ts";
import { inflatedFile } from "../../support/dicom/sample-frames.ts";

const SAMPLES = process.env.DICOM_SAMPLES;
const SIDE = 64;

/** The picture of the file's middle frame; undefined if the file has no pixels or is not an instance. */
async function pictureOf(given: Uint8Array): Promise<PictureReply | undefined> {
  const read = readInstance(memorySource(given));
  if (!read.ok || read.instance.frames.kind === "none") return undefined;
  const { frames, transferSyntaxUID } = read.instance;
  const frameIndex = Math.floor(frames.frameCount / 2);
  const isDeflated = frames.kind === "native" && frames.deflated;
  const file = isDeflated ? inflatedFile(given) : given;
  const end = frames.kind === "native" ? frames.offset : (frames.frames[0]?.[0]?.[0] ?? 0);
  const frame = cutFrame(file, frames, frameIndex) ?? new Uint8Array();
  const source = { kind: "parts", header: file.slice(0, end), frame } as const;
  return await makePicture({ transferSyntaxUID, frameIndex, source });
}

async function drawn(file: Uint8Array): Promise<DrawnPicture> {
  const reply = await pictureOf(file);
  if (!reply?.ok) throw new Error(`no picture: ${reply?.failure} ${reply?.detail}`);
  return await drawnPicture(reply.image);
}

const us = (...Value: number[]) => ({ vr: "US", Value });

function grey(samples: Uint16Array, more: DicomElements = {}): DicomElements {
  return {
    [TagHex.Rows]: us(SIDE),
    [TagHex.Columns]: us(SIDE),
    [TagHex.BitsStored]: us(16),
    [TagHex.PixelData]: { vr: "OW", bytes: new Uint8Array(samples.buffer) },
    ...more,
  };
}

/** Dark on the left, bright on the right. */
const ramp = Uint16Array.from({ length: SIDE * SIDE }, (_, i) => (i % SIDE) * 16);
const rampElements = grey(ramp);

function swapped(samples: Uint16Array): Uint8Array {
  return new Uint8Array(Buffer.from(Uint16Array.from(samples).buffer).swap16());
}

describe("a grey picture", () => {
  const uncompressed = [IMPLICIT_LITTLE_ENDIAN, EXPLICIT_LITTLE_ENDIAN, EXPLICIT_BIG_ENDIAN, DEFLATED];
  test.each(uncompressed)("from %s runs from dark to bright as the pixels do", async (transferSyntaxUID) => {
    const isBigEndian = transferSyntaxUID === EXPLICIT_BIG_ENDIAN;
    const pixels = { vr: "OW", bytes: isBigEndian ? swapped(ramp) : new Uint8Array(ramp.buffer) };
    const picture = await drawn(
      sampleFile(grey(ramp, { [TagHex.PixelData]: pixels }), { transferSyntaxUID }),
    );
    expect(picture).toMatchObject({ width: SIDE, height: SIDE });
    expect(picture.at(2, 32)[0]).toBeLessThan(30);
    expect(picture.at(61, 32)[0]).toBeGreaterThan(225);
  });

  test("is shown through the window of its instance", async () => {
    const window = {
      [TagHex.WindowCenter]: { vr: "DS", Value: ["256"] },
      [TagHex.WindowWidth]: { vr: "DS", Value: ["128"] },
    };
    const picture = await drawn(sampleFile(grey(ramp, window)));
    expect(picture.at(8, 32)[0]).toBeLessThan(10);
    expect(picture.at(24, 32)[0]).toBeGreaterThan(245);
  });

  test("is shown from its darkest to its brightest if its window would show nothing", async () => {
    const window = {
      [TagHex.WindowCenter]: { vr: "DS", Value: ["9000"] },
      [TagHex.WindowWidth]: { vr: "DS", Value: ["2"] },
    };
    expect((await drawn(sampleFile(grey(ramp, window)))).contrast).toBeGreaterThan(200);
  });

  test("is shown as the viewer shows it where the instance has a window and a table: through the window", async () => {
    const darkness = new Uint16Array(1024).map((_, value) => 1023 - value);
    const table: DicomElements = {
      [TagHex.LUTDescriptor]: us(1024, 0, 10),
      [TagHex.LUTData]: { vr: "OW", bytes: new Uint8Array(darkness.buffer) },
    };
    const withWindow = (center: string): DicomElements => ({
      [TagHex.WindowCenter]: { vr: "DS", Value: [center] },
      [TagHex.WindowWidth]: { vr: "DS", Value: ["1024"] },
      [TagHex.VOILUTSequence]: { vr: "SQ", Value: [table] },
    });
    const ends = async (center: string) => {
      const picture = await drawn(sampleFile(grey(ramp, withWindow(center))));
      return [0, SIDE - 1].map((x) => (picture.at(x, 32)[0] < 128 ? "dark" : "bright"));
    };
    expect(await ends("512")).toEqual(["dark", "bright"]);
    expect(await ends("9000")).toEqual(["bright", "dark"]);
  });

  test("of MONOCHROME1 is inverted", async () => {
    const picture = await drawn(
      sampleFile(grey(ramp, { [TagHex.PhotometricInterpretation]: { vr: "CS", Value: ["MONOCHROME1"] } })),
    );
    expect(picture.at(2, 32)[0]).toBeGreaterThan(225);
    expect(picture.at(61, 32)[0]).toBeLessThan(30);
  });

  test("of signed pixels has air darker than water", async () => {
    const hounsfield = Uint16Array.from({ length: SIDE * SIDE }, (_, i) => (i % SIDE < 32 ? -1000 : 40));
    const picture = await drawn(sampleFile(grey(hounsfield, { [TagHex.PixelRepresentation]: us(1) })));
    expect(picture.at(8, 32)[0]).toBeLessThan(picture.at(56, 32)[0]);
  });

  test("keeps the shape of what was imaged, and no side is longer than 128", async () => {
    const wide = {
      [TagHex.Rows]: us(200),
      [TagHex.Columns]: us(400),
      [TagHex.BitsAllocated]: us(8),
      [TagHex.BitsStored]: us(8),
    };
    const bytes = Uint8Array.from({ length: 80_000 }, (_, i) => i % 256);
    const square = await drawn(sampleFile({ ...wide, [TagHex.PixelData]: { vr: "OB", bytes } }));
    expect(square).toMatchObject({ width: 128, height: 64 });
    for (const tag of ["PixelSpacing", "ImagerPixelSpacing", "NominalScannedPixelSpacing"] as const) {
      const spacing = { [TagHex[tag]]: { vr: "DS", Value: ["2", "1"] } };
      const tall = await drawn(sampleFile({ ...wide, ...spacing, [TagHex.PixelData]: { vr: "OB", bytes } }));
      expect([tag, tall.width, tall.height]).toEqual([tag, 128, 128]);
    }
  });
});

describe("a picture in colour", () => {
  const colours: DicomElements = {
    [TagHex.SamplesPerPixel]: us(3),
    [TagHex.PhotometricInterpretation]: { vr: "CS", Value: ["RGB"] },
    [TagHex.PlanarConfiguration]: us(0),
    [TagHex.Rows]: us(SIDE),
    [TagHex.Columns]: us(SIDE),
    [TagHex.BitsAllocated]: us(8),
    [TagHex.BitsStored]: us(8),
  };
  /** A picture that is red above and blue below. */
  const redAndBlue = Uint8Array.from({ length: SIDE * SIDE * 3 }, (_, i) =>
    (i % 3 === 0) === i < (SIDE * SIDE * 3) / 2 && i % 3 !== 1 ? 250 : 5,
  );
  const expectRedAndBlue = (picture: DrawnPicture) => {
    const [above, below] = [picture.at(32, 10), picture.at(32, 54)];
    expect(above[0] - above[2]).toBeGreaterThan(150);
    expect(below[2] - below[0]).toBeGreaterThan(150);
  };

  test("keeps its colours, however its samples are ordered", async () => {
    expectRedAndBlue(
      await drawn(sampleFile({ ...colours, [TagHex.PixelData]: { vr: "OB", bytes: redAndBlue } })),
    );
    const planes = [0, 1, 2].flatMap((c) => [...redAndBlue.filter((_, i) => i % 3 === c)]);
    const planar = {
      ...colours,
      [TagHex.PlanarConfiguration]: us(1),
      [TagHex.PixelData]: { vr: "OB", bytes: Uint8Array.from(planes) },
    };
    expectRedAndBlue(await drawn(sampleFile(planar)));
  });

  test("of YBR_PARTIAL_422 has black at 16 and white at 235 (PS3.3 §C.7.6.3.1.2)", async () => {
    const pairs = Uint8Array.from({ length: SIDE * SIDE * 2 }, (_, i) =>
      i % 4 > 1 ? 128 : i < SIDE * SIDE ? 16 : 235,
    );
    const partial = {
      ...colours,
      [TagHex.PhotometricInterpretation]: { vr: "CS", Value: ["YBR_PARTIAL_422"] },
      [TagHex.PixelData]: { vr: "OB", bytes: pairs },
    };
    const picture = await drawn(sampleFile(partial));
    expect(Math.max(...picture.at(32, 10).slice(0, 3))).toBeLessThan(4);
    expect(Math.min(...picture.at(32, 54).slice(0, 3))).toBeGreaterThan(251);
  });

  const half = (value: number) => Uint8Array.from({ length: 512 }, (_, i) => (i % 2 ? value : 0));
  /** The lower half of the palette is red, the upper one blue; `above` and `below` are its indexes as they are stored. */
  const paletted = (above: number, below: number, more: DicomElements = {}) => ({
    ...grey(Uint16Array.from({ length: SIDE * SIDE }, (_, i) => (i < (SIDE * SIDE) / 2 ? above : below))),
    [TagHex.PhotometricInterpretation]: { vr: "CS", Value: ["PALETTE COLOR"] },
    [TagHex.RedPaletteColorLookupTableDescriptor]: us(256, 0, 16),
    [TagHex.GreenPaletteColorLookupTableDescriptor]: us(256, 0, 16),
    [TagHex.BluePaletteColorLookupTableDescriptor]: us(256, 0, 16),
    [TagHex.RedPaletteColorLookupTableData]: { vr: "OW", bytes: half(250).fill(0, 256) },
    [TagHex.GreenPaletteColorLookupTableData]: { vr: "OW", bytes: half(0) },
    [TagHex.BluePaletteColorLookupTableData]: { vr: "OW", bytes: half(250).fill(0, 0, 256) },
    ...more,
  });

  test("takes the colours of its palette", async () => {
    expectRedAndBlue(await drawn(sampleFile(paletted(0, 255))));
  });

  test("takes the colours of its palette by the stored bits alone, which may be signed or the upper ones", async () => {
    const [stored, high] = [{ [TagHex.BitsStored]: us(8) }, (bit: number) => ({ [TagHex.HighBit]: us(bit) })];
    expectRedAndBlue(await drawn(sampleFile(paletted(0xf000, 0xf0ff, { ...stored, ...high(7) }))));
    expectRedAndBlue(await drawn(sampleFile(paletted(0x0010, 0xff10, { ...stored, ...high(15) }))));
    const first = { vr: "SS", Value: [256, -128, 16] };
    const signed = {
      ...stored,
      ...high(7),
      [TagHex.PixelRepresentation]: us(1),
      [TagHex.RedPaletteColorLookupTableDescriptor]: first,
      [TagHex.GreenPaletteColorLookupTableDescriptor]: first,
      [TagHex.BluePaletteColorLookupTableDescriptor]: first,
    };
    expectRedAndBlue(await drawn(sampleFile(paletted(0x80, 0x7f, signed))));
  });

  const compressed = Object.keys(encoders);
  test.each(compressed)("and a grey picture are decoded from %s", async (transferSyntaxUID) => {
    const encode = encoders[transferSyntaxUID];
    if (!encode) throw new Error("no encoder");
    const side = { width: SIDE, height: SIDE };
    const rgb: PixelFrame = { ...side, bitsPerSample: 8, componentCount: 3, samples: redAndBlue };
    const bytes = Uint8Array.from(ramp, (value) => value >> 2);
    const monochrome: PixelFrame = { ...side, bitsPerSample: 8, componentCount: 1, samples: bytes };
    const isJpeg = transferSyntaxUID === "1.2.840.10008.1.2.4.50";
    const inColour = {
      ...colours,
      ...(isJpeg && { [TagHex.PhotometricInterpretation]: { vr: "CS", Value: ["YBR_FULL_422"] } }),
      [TagHex.PixelData]: { vr: "OB", fragments: [await encode(rgb)] },
    };
    expectRedAndBlue(await drawn(sampleFile(inColour, { transferSyntaxUID })));
    const inGrey = grey(ramp, {
      [TagHex.BitsAllocated]: us(8),
      [TagHex.BitsStored]: us(8),
      [TagHex.PixelData]: { vr: "OB", fragments: [await encode(monochrome)] },
    });
    const picture = await drawn(sampleFile(inGrey, { transferSyntaxUID }));
    expect(picture.at(2, 32)[0]).toBeLessThan(40);
    expect(picture.at(61, 32)[0]).toBeGreaterThan(215);
  });
});

describe("an image that can't be shown", () => {
  test("has no picture, with a reason, if it is a video or has an unknown transfer syntax", async () => {
    const transferSyntaxUID = "1.2.840.10008.1.2.4.102";
    const file = sampleFile(
      { ...rampElements, [TagHex.PixelData]: { vr: "OB", fragments: [new Uint8Array(8)] } },
      { transferSyntaxUID },
    );
    expect(await pictureOf(file)).toEqual({ ok: false, failure: "unsupported", detail: "video" });
  });

  test("is refused before memory is allocated if its header claims more pixels than any detector has", async () => {
    const claims = { [TagHex.Rows]: us(65_535), [TagHex.Columns]: us(65_535) };
    expect(await pictureOf(sampleFile(claims))).toMatchObject({ ok: false, failure: "unsupported" });
  });

  const compressed = Object.keys(encoders).filter((uid) => uid !== "1.2.840.10008.1.2.5");
  test.each(compressed)("has no picture if noise replaces its %s stream", async (transferSyntaxUID) => {
    const noise = Uint8Array.from({ length: 4096 }, (_, i) => (i * 7919) % 251);
    const file = sampleFile(
      { ...rampElements, [TagHex.PixelData]: { vr: "OB", fragments: [noise] } },
      { transferSyntaxUID },
    );
    expect(await pictureOf(file)).toMatchObject({ ok: false, failure: "undecodable" });
  });
});

describe.skipIf(!SAMPLES)("real files", () => {
  /** A code stream cut by design; 12-bit progressive JPEG, retired from the standard; pictures of one colour. */
  const NOTHING_TO_SEE =
    /embedded-sequence-delimiter|Process6_8|Process10_12|SC_rgb_jpeg\.dcm|no_color_transform/;

  test("of every transfer syntax give a picture that shows something, of 4 kB at most", async () => {
    const folder = SAMPLES ?? "";
    const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !NOTHING_TO_SEE.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name));
    let pictures = 0;
    for (const path of paths) {
      const reply = await pictureOf(new Uint8Array(readFileSync(path)));
      if (!reply) continue;
      expect(reply, path).toMatchObject({ ok: true });
      if (!reply.ok) continue;
      expect(reply.image.length, path).toBeLessThanOrEqual(4096);
      expect((await drawnPicture(reply.image)).contrast, path).toBeGreaterThan(20);
      pictures++;
    }
    expect(pictures).toBeGreaterThan(400);
  }, 240_000);
});
