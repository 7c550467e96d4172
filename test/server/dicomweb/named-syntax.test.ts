import { describe, expect, test } from "bun:test";
import { namedFrames, namedInstances } from "../../../src/server/features/dicomweb/answers/media-types.ts";
import { TransferSyntax } from "../../../src/shared/dicom/transfer-syntax.ts";

const EXPLICIT = TransferSyntax.explicitLittleEndian;
const COPIED = TransferSyntax.htJpeg2000Rpcl;
const JPEG_2000 = "1.2.840.10008.1.2.4.90";
const JPEG = "1.2.840.10008.1.2.4.50";

const bytes = (syntax: string) =>
  `multipart/related; type="application/octet-stream"; transfer-syntax=${syntax}`;
const file = (syntax: string) => `application/dicom; transfer-syntax=${syntax}`;

describe("Explicit VR Little Endian", () => {
  const framesFor = (...accept: string[]) =>
    namedFrames(accept.join(), JPEG_2000, [COPIED, EXPLICIT]).map(({ syntax }) => syntax);
  const filesFor = (...accept: string[]) =>
    namedInstances(accept.join(), JPEG_2000, [COPIED, EXPLICIT]).map(({ syntax }) => syntax);

  test("is made for a client that takes nothing stored", () => {
    expect(framesFor(bytes(EXPLICIT))).toEqual([EXPLICIT]);
    expect(framesFor(bytes(JPEG), bytes(EXPLICIT))).toEqual([EXPLICIT]);
    expect(filesFor(file(JPEG), file(EXPLICIT))).toEqual([EXPLICIT]);
  });

  test.each([
    ["any", "*"],
    ["its own syntax", JPEG_2000],
  ])("is not made for one that lists it along with %s", (_, stored) => {
    for (const order of [
      [EXPLICIT, stored],
      [stored, EXPLICIT],
    ]) {
      expect(framesFor(...order.map(bytes))).toEqual([]);
      expect(filesFor(...order.map(file))).toEqual([]);
    }
    expect(framesFor(bytes(EXPLICIT), `multipart/related; type="image/jp2"`)).toEqual([]);
    expect(filesFor(file(EXPLICIT), "*/*")).toEqual([]);
  });

  test("is made for one that likes it better", () => {
    expect(framesFor(`${bytes("*")}; q=0.9`, bytes(EXPLICIT))).toEqual([EXPLICIT]);
    expect(filesFor(`${file("*")}; q=0.9`, file(EXPLICIT))).toEqual([EXPLICIT]);
    expect(filesFor(`${file(EXPLICIT)}; q=0.9`, file("*"))).toEqual([]);
  });

  test("keeps no copy back that is named before the stored one", () => {
    expect(framesFor(bytes(COPIED), bytes(EXPLICIT), bytes("*"))).toEqual([COPIED]);
    expect(framesFor(bytes(EXPLICIT), bytes(COPIED), bytes("*"))).toEqual([COPIED]);
    expect(framesFor(bytes(EXPLICIT), bytes(COPIED))).toEqual([COPIED, EXPLICIT]);
    expect(framesFor(bytes(EXPLICIT), `${bytes(COPIED)}; q=0.9`)).toEqual([EXPLICIT, COPIED]);
  });
});
