import { expect, test } from "bun:test";
import { zstdCompressSync } from "node:zlib";
import type { SeriesManifest } from "../../../src/server/archive/manifest.ts";
import type {
  FoundSeries,
  StoredMetadata,
} from "../../../src/server/features/dicomweb/dicomweb.catalogue.ts";
import { parseQido } from "../../../src/server/features/dicomweb/qido/parse-qido.ts";
import { searchInstances } from "../../../src/server/features/dicomweb/qido/search-instances.ts";
import { createSearchTurns } from "../../../src/server/features/dicomweb/turns/search-turns.ts";
import { AppError } from "../../../src/server/http/app-error.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { TransferSyntax } from "../../../src/shared/dicom/transfer-syntax.ts";

const uidOf = (index: number) => `2.25.3.${index + 1}`;
const INSTANCES = 300;
/** 72 MB of JSON in all; a search inflates 64 MiB. */
const INSTANCE_BYTES = 240_000;

/** The bytes of one instance's metadata as a member of the array. */
function member(index: number): Buffer {
  const json = {
    "00080008": { vr: "CS", Value: ["ORIGINAL"] },
    "00080018": { vr: "UI", Value: [uidOf(index)] },
  };
  const bytes = Buffer.alloc(INSTANCE_BYTES, " ");
  bytes.write(`${index === 0 ? "[" : ","}${JSON.stringify(json)}`, 0);
  return bytes;
}

const packed = zstdCompressSync(
  Buffer.concat(Array.from({ length: INSTANCES }, (_, index) => member(index))),
);
const stored = {
  inflatedBytes: INSTANCES * INSTANCE_BYTES,
  open: async () => packed,
  ranges: async () =>
    Array.from({ length: INSTANCES }, (_, index) => ({
      offset: index * INSTANCE_BYTES + 1,
      length: INSTANCE_BYTES - 1,
    })),
} as unknown as StoredMetadata;
const manifest = {
  studyInstanceUID: "2.25.1",
  seriesInstanceUID: "2.25.2",
  instances: Array.from({ length: INSTANCES }, (_, index) => ({
    sopInstanceUID: uidOf(index),
    sopClassUID: "1.2.840.10008.5.1.4.1.1.7",
    frames: { kind: "none" },
  })),
} as unknown as SeriesManifest;
const found: FoundSeries = {
  warm: async () => undefined,
  manifest: async () => manifest,
  metadata: async () => stored,
};

async function search(text: string, allSeries?: FoundSeries[]): Promise<number | "too broad"> {
  try {
    return (await uidsFound(text, allSeries)).length;
  } catch (error) {
    if (error instanceof AppError && error.kind.code === "search.too_broad") return "too broad";
    throw error;
  }
}

/** The instances of one page. */
async function uidsFound(text: string, allSeries = [found]): Promise<string[]> {
  const query = parseQido(new URLSearchParams(text), ["instance"]);
  const series = allSeries.map((one) => ({ instanceCount: INSTANCES, known: {}, find: async () => one }));
  const { items } = await searchInstances(series, {
    ...{ query, baseUrl: undefined, maxSeries: 10, maxLists: 10, levels: ["instance"] },
    ...{ turns: createSearchTurns(), searcher: { callerId: "someone" } },
  });
  const uidIn = (item: Uint8Array) =>
    JSON.parse(Buffer.from(item).toString())[TagHex.SOPInstanceUID].Value[0];
  return items.slice(0, query.limit).map(uidIn);
}

test("a search reads no more of a large series than it needs for its page", async () => {
  expect(await search("includefield=all&limit=1")).toBe(1);
  expect(await search("includefield=all&limit=2&offset=200")).toBe(2);
  expect(await search(`includefield=ImageType&SOPInstanceUID=${uidOf(100)}`)).toBe(1);
  expect(await search("ImageType=ORIGINAL&limit=3")).toBe(3);
  expect(await search("ImageType=DERIVED")).toBe("too broad");
  expect(await search("includefield=all&limit=300")).toBe("too broad");
});

test("pages reach each instance of a large series once", async () => {
  const pages: string[] = [];
  for (let offset = 0; offset < INSTANCES; offset += 50)
    pages.push(...(await uidsFound(`includefield=all&limit=50&offset=${offset}`)));
  expect(pages).toEqual(Array.from({ length: INSTANCES }, (_, index) => uidOf(index)));
  expect(await search(`includefield=ImageType&SOPInstanceUID=${uidOf(299)}`)).toBe(1);
});

test("a search that needs no metadata answers every instance of a large series", async () => {
  expect(await search("limit=1000")).toBe(INSTANCES);
  expect(await search("limit=2&offset=295")).toBe(2);
  expect(await search(`SOPInstanceUID=${uidOf(299)}`)).toBe(1);
});

test("a video, whose frames its metadata tell, has those of other series read no further than without it", async () => {
  const framed = { kind: "native", frameCount: 1 };
  const withFrames = (instances: number, transferSyntaxUID: string): FoundSeries => {
    const listed = manifest.instances.slice(0, instances);
    const described = listed.map((one) => ({ ...one, frames: framed, transferSyntaxUID }));
    return { ...found, manifest: async () => ({ ...manifest, instances: described }) as SeriesManifest };
  };
  const large = withFrames(INSTANCES, TransferSyntax.explicitLittleEndian);
  expect(await search("NumberOfFrames=1&limit=1000", [large])).toBe(INSTANCES);
  const video = withFrames(1, "1.2.840.10008.1.2.4.102");
  expect(await search("NumberOfFrames=1&limit=1000", [video, large])).toBe(INSTANCES);
});
