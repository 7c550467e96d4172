import { describe, expect, test } from "bun:test";
import type { Decode } from "../../../src/client/visor/core/frame-loader.ts";
import { createSeriesPictures, PICTURE_SIDE_PX } from "../../../src/client/visor/core/series-pictures.ts";
import type { FrameAddress, SeriesRecord, SeriesUIDs } from "../../../src/client/visor/core/source.ts";
import { buildStacks } from "../../../src/client/visor/core/stacks.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { NoPicture } from "../../../src/shared/pixels/no-picture.ts";
import type { PreparedFrame } from "../../../src/shared/pixels/prepare-frame.ts";

const SIDE = 2 * PICTURE_SIDE_PX;

const seriesOf = (seriesInstanceUID: string): SeriesRecord => ({
  ...{ studyInstanceUID: "2.25.1", seriesInstanceUID, seriesNumber: 1 },
  ...{ modality: "CT", description: "", instanceCount: 5 },
});

function instancesOf(uid: string, count: number) {
  const us = (value: number) => ({ vr: "US", Value: [value] });
  return Array.from({ length: count }, (_, i) => ({
    [TagHex.SOPInstanceUID]: { vr: "UI", Value: [`${uid}.${i}`] },
    [TagHex.InstanceNumber]: { vr: "IS", Value: [i] },
    [TagHex.PhotometricInterpretation]: { vr: "CS", Value: ["MONOCHROME2"] },
    [TagHex.Rows]: us(SIDE),
    [TagHex.Columns]: us(SIDE),
  }));
}

const frame: PreparedFrame = {
  ...{ kind: "grey", rows: SIDE, columns: SIDE, indexes: new Uint8Array(SIDE * SIDE).fill(255) },
  ...{ first: 0, step: 1, levels: 256, lowest: 0, highest: 255 },
};

function made({ decode = async () => frame }: { decode?: Decode } = {}) {
  const read: string[] = [];
  let open = 0;
  let most = 0;
  let frees = 0;
  const source = {
    readMetadata: async ({ seriesInstanceUID }: SeriesUIDs) => {
      most = Math.max(most, ++open);
      await Promise.resolve();
      return seriesInstanceUID === "2.25.0" ? [] : instancesOf(seriesInstanceUID, 5);
    },
    readFrame: async ({ sopInstanceUID }: FrameAddress) => {
      read.push(sopInstanceUID);
      open--;
      return { bytes: new Uint8Array(1), transferSyntaxUID: "1.2.840.10008.1.2.1" };
    },
  };
  const whenFree = async () => void frees++;
  const pictures = createSeriesPictures({ source, decode, whenFree });
  return { pictures, read, most: () => most, frees: () => frees };
}

describe("small pictures of series that have none ready", () => {
  test("are the middle images, reduced, made once and one after the other, each once there is time", async () => {
    const { pictures, read, most, frees } = made();
    const uids = ["2.25.7", "2.25.8", "2.25.7"];
    const [one, other, same] = await Promise.all(uids.map((uid) => pictures.pictureOf(seriesOf(uid))));
    expect(one?.frame).toMatchObject({ rows: PICTURE_SIDE_PX, columns: PICTURE_SIDE_PX });
    expect(one?.table.at(-1)).toBe(255);
    expect(other).toBeDefined();
    expect(same).toBe(one);
    expect(read).toEqual(["2.25.7.2", "2.25.8.2"]);
    expect(most()).toBe(1);
    expect(frees()).toBe(2);
  });

  test("are those of one stack where a series is cut into several", async () => {
    const { pictures, read, frees } = made();
    const series = seriesOf("2.25.7");
    const stack = (first: number) => ({
      key: `2.25.7.${first}/0`,
      slices: buildStacks(series, instancesOf("2.25.7", 10)).flatMap(({ slices }) =>
        slices.slice(first, first + 3),
      ),
    });
    const [one, other, same] = await Promise.all(
      [0, 6, 0].map((first) => pictures.pictureOfStack(stack(first))),
    );
    expect(one?.frame).toMatchObject({ rows: PICTURE_SIDE_PX, columns: PICTURE_SIDE_PX });
    expect(other).toBeDefined();
    expect(same).toBe(one);
    expect(read).toEqual(["2.25.7.1", "2.25.7.7"]);
    expect(frees()).toBe(2);
  });

  test("are left out where nothing can be drawn, and those after them are made", async () => {
    let asked = 0;
    const decode = async () => {
      if (asked++ === 0) throw new NoPicture("undecodable", "damaged");
      return frame;
    };
    const { pictures } = made({ decode });
    expect(await pictures.pictureOf(seriesOf("2.25.0"))).toBeUndefined();
    expect(await pictures.pictureOf(seriesOf("2.25.7"))).toBeUndefined();
    expect(await pictures.pictureOf(seriesOf("2.25.8"))).toBeDefined();
  });

  test("are not begun once the exam is closed", async () => {
    const { pictures, read } = made();
    const late = pictures.pictureOf(seriesOf("2.25.7"));
    pictures.close();
    expect(await late).toBeUndefined();
    expect(read).toEqual([]);
  });
});
