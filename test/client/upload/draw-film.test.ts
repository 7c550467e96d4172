import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { TRANSFER_SYNTAX } from "../../../scripts/demo/phantom/study.ts";
import { drawFilm, FILM_SIDE } from "../../../src/client/features/upload/contact-sheet/draw-film.ts";
import { drawFilms, type FilmBudget } from "../../../src/client/features/upload/contact-sheet/draw-films.ts";
import {
  type FilmFile,
  FRAMES,
  spreadOverFrames,
} from "../../../src/client/features/upload/contact-sheet/film-files.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { readZipEntries } from "../../../src/shared/zip/open-zip-blob.ts";
import { zipFile } from "../../support/client/upload-files.ts";
import {
  DEFLATED,
  IMPLICIT_LITTLE_ENDIAN,
  JPEG_BASELINE,
  sampleFile,
} from "../../support/dicom/dicom-sample.ts";

type Options = Parameters<typeof sampleFile>;

/** A picture that is dark at the left and bright at the right. */
function ramp(rows: number, columns: number, elements: Options[0] = {}, options: Options[1] = {}) {
  const bytes = Uint8Array.from({ length: rows * columns }, (_, at) =>
    Math.floor(((at % columns) * 255) / (columns - 1)),
  );
  const us = (value: number) => ({ vr: "US" as const, Value: [value] });
  return sampleFile(
    {
      [TagHex.Rows]: us(rows),
      [TagHex.Columns]: us(columns),
      [TagHex.BitsAllocated]: us(8),
      [TagHex.BitsStored]: us(8),
      [TagHex.PixelData]: { vr: "OB", bytes },
      ...elements,
    },
    options,
  );
}

const lineOf = (film: Uint8Array | undefined, row: number) =>
  film?.subarray(row * FILM_SIDE, (row + 1) * FILM_SIDE) ?? new Uint8Array();

test("the pictures of an upload leave out a file that changed on the disk, and go on", async () => {
  const gone = new Blob(["DICM"]);
  gone.slice = () =>
    Object.assign(new Blob(), {
      arrayBuffer: () => Promise.reject(new DOMException("", "NotReadableError")),
    });
  const budget: FilmBudget = { fileBytes: 1e6, totalBytes: 1e6, ms: 1_000, now: () => 0 };
  const drawn: number[] = [];
  const frames = [[{ file: gone }], [{ file: new Blob([ramp(64, 64) as BlobPart]) }]];
  await drawFilms(frames, budget, ({ frame }) => drawn.push(frame));
  expect(drawn).toEqual([1]);
});

describe("a small picture of an instance", () => {
  const widened = ramp(64, 64);

  test("shows its greys in every uncompressed transfer syntax", () => {
    for (const transferSyntaxUID of [
      TRANSFER_SYNTAX.explicitLittleEndian,
      IMPLICIT_LITTLE_ENDIAN,
      DEFLATED,
    ]) {
      const line = lineOf(drawFilm(ramp(64, 64, {}, { transferSyntaxUID })), 30);
      expect([line[0], line[63]]).toEqual([0, 255]);
      expect(Math.abs((line[32] ?? 0) - 129)).toBeLessThan(3);
    }
  });

  test("keeps its aspect ratio, with black around it", () => {
    const film = drawFilm(ramp(64, 128));
    expect(Math.max(...lineOf(film, 8))).toBe(0);
    expect(lineOf(film, 32)[63]).toBeGreaterThan(250);
    expect(Math.max(...lineOf(film, 56))).toBe(0);
  });

  test("is inverted if the lowest value is white", () => {
    const line = lineOf(
      drawFilm(ramp(64, 64, { [TagHex.PhotometricInterpretation]: { vr: "CS", Value: ["MONOCHROME1"] } })),
      30,
    );
    expect([line[0], line[63]]).toEqual([255, 0]);
  });

  test("uses the instance's own window, after its rescale slope", () => {
    const ds = (value: string) => ({ vr: "DS" as const, Value: [value] });
    const elements = {
      [TagHex.WindowCenter]: ds("-1000"),
      [TagHex.WindowWidth]: ds("100"),
      [TagHex.RescaleIntercept]: ds("-1024"),
      [TagHex.RescaleSlope]: ds("1"),
    };
    const line = lineOf(drawFilm(ramp(64, 64, elements)), 30);
    expect(line[63]).toBe(255);
    expect(line[20]).toBe(255);
    expect(line[6]).toBeLessThan(140);
  });

  test("shows negative values of signed 12-bit pixels dark", () => {
    const bytes = new Uint8Array(2 * 64 * 64);
    const view = new DataView(bytes.buffer);
    // The four bits above the stored ones must be ignored.
    for (let at = 0; at < 64 * 64; at++) view.setUint16(2 * at, (((at % 64) - 32) & 0xfff) | 0x5000, true);
    const us = (value: number) => ({ vr: "US" as const, Value: [value] });
    const film = drawFilm(
      sampleFile({
        [TagHex.Rows]: us(64),
        [TagHex.Columns]: us(64),
        [TagHex.BitsAllocated]: us(16),
        [TagHex.BitsStored]: us(12),
        [TagHex.PixelRepresentation]: us(1),
        [TagHex.PixelData]: { vr: "OW", bytes },
      }),
    );
    const line = lineOf(film, 10);
    expect([line[0], line[63]]).toEqual([0, 255]);
    expect(line[40]).toBeGreaterThan(line[20] ?? 255);
  });

  test("is missing if it would need a decoder, is in colour, or is cut short", () => {
    expect(drawFilm(ramp(64, 64, {}, { transferSyntaxUID: JPEG_BASELINE }))).toBeUndefined();
    expect(
      drawFilm(ramp(64, 64, { [TagHex.PhotometricInterpretation]: { vr: "CS", Value: ["RGB"] } })),
    ).toBeUndefined();
    expect(drawFilm(widened.subarray(0, widened.length - 100))).toBeUndefined();
  });

  test("is either complete or missing, wherever its file ends", () => {
    for (let length = 0; length <= widened.length; length++) {
      expect(drawFilm(widened.slice(0, length))?.length ?? FILM_SIDE ** 2).toBe(FILM_SIDE ** 2);
    }
  });

  test("is drawn without an exception from any bytes", () => {
    fc.assert(
      fc.property(fc.nat(widened.length - 1), fc.nat(255), fc.nat(widened.length), (at, byte, length) => {
        const damaged = widened.slice(0, length);
        damaged[at] = byte;
        const film = drawFilm(damaged);
        expect(film === undefined || film.length === FILM_SIDE ** 2).toBe(true);
      }),
    );
  });
});

describe("the frames of the contact sheet", () => {
  test("cover the files from the first to the last, each file in one frame", () => {
    const many = Array.from({ length: 1_247 }, (_, n) => n);
    const frames = spreadOverFrames(many);
    expect(frames).toHaveLength(FRAMES);
    expect(frames[0]?.[0]).toBe(0);
    expect(frames.at(-1)?.[0]).toBeGreaterThan(1_150);
    for (const frame of frames) expect(frame.length).toBeLessThanOrEqual(3);
    expect(new Set(frames.flat()).size).toBe(frames.flat().length);
  });

  test("show one file each if there are few, and the frames between stay neutral", () => {
    const frames = spreadOverFrames(["a", "b", "c"]);
    expect(frames.flat()).toEqual(["a", "b", "c"]);
    expect(frames.filter(({ length }) => length === 0)).toHaveLength(FRAMES - 3);
    expect(spreadOverFrames([])).toHaveLength(FRAMES);
  });
});

describe("drawing for the contact sheet", () => {
  const picture = ramp(64, 64);
  const budget = (limits: Partial<FilmBudget> = {}): FilmBudget => {
    return { fileBytes: 1e6, totalBytes: 1e6, ms: 100, now: () => 0, ...limits };
  };
  const fileOf = (bytes: Uint8Array): FilmFile => ({ file: new Blob([bytes as Uint8Array<ArrayBuffer>]) });
  const framesDrawn = async (frames: FilmFile[][], limits?: Partial<FilmBudget>) => {
    const drawn: number[] = [];
    await drawFilms(frames, budget(limits), ({ frame }) => drawn.push(frame));
    return drawn;
  };

  test("reads files of a folder and entries of a ZIP, and tries the next file if one has no picture", async () => {
    const zip = zipFile({ LEIAME: Buffer.from("oi"), IM1: picture });
    const entries = (await readZipEntries(zip)) ?? [];
    const ofZip = entries.map((entry) => ({ file: zip, entry }));
    expect(await framesDrawn([[fileOf(picture)], [], ofZip, [fileOf(Buffer.from("x"))]])).toEqual([0, 2]);
  });

  test("skips a file beyond the budget, and ends when the bytes or the time are used up", async () => {
    const frames = Array.from({ length: 5 }, () => [fileOf(picture)]);
    expect(await framesDrawn(frames, { fileBytes: picture.length - 1 })).toEqual([]);
    expect(await framesDrawn(frames, { totalBytes: 2.5 * picture.length })).toEqual([0, 1]);
    let now = 0;
    expect(await framesDrawn(frames, { now: () => (now += 40) })).toEqual([0, 1]);
  });
});
