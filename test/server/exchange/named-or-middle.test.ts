import { expect, test } from "bun:test";
import type { DicomwebCatalogue } from "../../../src/server/features/dicomweb/dicomweb.catalogue.ts";
import { middleOfStudy } from "../../../src/server/features/exchange/named-or-middle.ts";

const MPEG_4 = "1.2.840.10008.1.2.4.102";
const JPEG = "1.2.840.10008.1.2.4.50";
const PICTURE = { kind: "encapsulated", frameCount: 1, frames: [[[0, 1]]] };
const NO_PICTURE = { kind: "none" };

/** Series by UID; the more instances, the larger. `read` lists those whose manifest was read. */
function studyOf(series: Record<string, { count: number; syntax: string; frames: object }>) {
  const read: string[] = [];
  const catalogue = {
    series: async () =>
      Object.entries(series).map(([seriesInstanceUID, { count }]) => ({
        seriesInstanceUID,
        instanceCount: count,
      })),
    manifest: async (_study: string, uid: string) => {
      read.push(uid);
      const { syntax, frames } = series[uid] ?? {};
      return { instances: [{ sopInstanceUID: uid, transferSyntaxUID: syntax, frames }] };
    },
  } as unknown as DicomwebCatalogue;
  return { catalogue, read };
}

test("the picture of a study is of a series that has one, though larger ones are videos or documents", async () => {
  const { catalogue } = studyOf({
    images: { count: 1, syntax: JPEG, frames: PICTURE },
    videos: { count: 5, syntax: MPEG_4, frames: PICTURE },
    documents: { count: 9, syntax: JPEG, frames: NO_PICTURE },
  });
  expect((await middleOfStudy(catalogue, "study"))?.sopInstanceUID).toBe("images");
});

test("a study of many videos is read no further than a bound, and shows the largest", async () => {
  const many = Array.from({ length: 40 }, (_, at) => [
    `video ${at}`,
    { count: at, syntax: MPEG_4, frames: PICTURE },
  ]);
  const { catalogue, read } = studyOf(Object.fromEntries(many));
  expect((await middleOfStudy(catalogue, "study"))?.sopInstanceUID).toBe("video 39");
  expect(read.length).toBe(16);
});

test("only the largest series of images is read", async () => {
  const { catalogue, read } = studyOf({
    small: { count: 1, syntax: JPEG, frames: PICTURE },
    large: { count: 2, syntax: JPEG, frames: PICTURE },
  });
  expect((await middleOfStudy(catalogue, "study"))?.sopInstanceUID).toBe("large");
  expect(read).toEqual(["large"]);
});
