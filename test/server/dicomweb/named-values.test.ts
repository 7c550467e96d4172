import { expect, test } from "bun:test";
import { zstdCompressSync } from "node:zlib";
import type { ManifestInstance } from "../../../src/server/archive/manifest.ts";
import { namedValues } from "../../../src/server/features/dicomweb/bulk-data/named-values.ts";
import type { StoredMetadata } from "../../../src/server/features/dicomweb/dicomweb.catalogue.ts";

/** The metadata of a series, given as the JSON of its instances, and how often they were opened. */
function metadataOf(texts: string[]) {
  const bytes = Buffer.from(`[${texts.join()}]`);
  const zipped = zstdCompressSync(bytes);
  const unused = () => Promise.reject(new Error("not read"));
  const opened = { times: 0 };
  const stored: StoredMetadata = {
    ...{ encoding: "zstd", version: "1", inflatedBytes: bytes.length },
    async open() {
      opened.times++;
      return zipped;
    },
    ...{ packed: unused, rangeOf: unused, ranges: unused },
  };
  let offset = 1;
  const ranges = texts.map((text) => {
    const length = Buffer.byteLength(text);
    const range = { offset, length };
    offset += length + 1;
    return range;
  });
  return { stored, ranges, opened };
}

const instanceOf = (sopInstanceUID: string) =>
  ({ sopInstanceUID, frames: { kind: "none" } }) as ManifestInstance;
const uri = (sop: string, path: string) =>
  `"${path}":{"vr":"OB","BulkDataURI":"instances/${sop}/bulkdata/${path}"}`;

test("more values than are known at once come in groups, also of one instance", async () => {
  const texts = [
    `{${uri("2.25.1", "00091001")},${uri("2.25.1", "00091002")}}`,
    "{}",
    `{${["00091001", "00091002", "00091003", "00091004"].map((path) => uri("2.25.3", path)).join()}}`,
    `{${uri("2.25.4", "00091001")}}`,
  ];
  const { opened, ...metadata } = metadataOf(texts);
  const findInstance = (uid: string) => (uid === "2.25.4" ? undefined : instanceOf(uid));
  const groups: string[][] = [];
  const isWanted = (path: string) => path !== "00091002";
  const naming = { ...metadata, findInstance, isWanted };
  for await (const group of namedValues(naming, { maxValues: 2, maxCharacters: 1_000 }))
    groups.push(
      group.flatMap(({ instance, tagPaths }) => tagPaths.map((path) => `${instance.sopInstanceUID} ${path}`)),
    );
  expect(groups).toEqual([
    ["2.25.1 00091001", "2.25.3 00091001"],
    ["2.25.3 00091003", "2.25.3 00091004"],
  ]);
  expect(opened.times).toBe(2);
});

test("an address is found wherever long metadata are cut, and none in what a text says", async () => {
  const named = uri("2.25.1", "00091001");
  const claimed = JSON.stringify({ vr: "LT", Value: [uri("2.25.1", "00091002")] });
  for (let cut = 0; cut < named.length; cut += 9) {
    const before = `{"00081030":${claimed},"00104000":"`;
    const padding = "x".repeat(512 * 1024 - before.length - 2 - cut);
    const { stored, ranges } = metadataOf([`${before}${padding}",${named},${uri("2.25.1", "00091003")}}`]);
    const found: string[] = [];
    for await (const group of namedValues({ stored, ranges, findInstance: instanceOf, isWanted: () => true }))
      found.push(...group.flatMap(({ tagPaths }) => tagPaths));
    expect(found).toEqual(["00091001", "00091003"]);
  }
});
