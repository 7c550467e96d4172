import { expect, test } from "bun:test";
import { keyOfPlanned } from "../../../src/client/features/delivery/kept-delivery.ts";
import type { Picked } from "../../../src/client/features/pick/picked-files.ts";
import { packedSizeBytes } from "../../../src/client/features/upload/pack-folder/pack-folder.ts";
import { planOf } from "../../support/prepare-upload.ts";
import { type SampleInstance, sampleInstance } from "../../support/sample-zip.ts";
import { folderFiles, zipFile } from "../../support/upload-files.ts";

const zipOf = (name: string, instance: SampleInstance): Picked => ({
  kind: "zip",
  file: zipFile({ IM1: sampleInstance(instance) }, { name }),
});

const folderOf = (count: number) => {
  const instances = Array.from({ length: count }, (_, n) => [
    `IM${n}`,
    sampleInstance({ study: `${n + 1}` }),
  ]);
  const files = folderFiles(Object.fromEntries(instances));
  return { kind: "folder", name: "CD", files } as const;
};

test("several ZIPs are delivered as they are, and one that can't go is told by its name", async () => {
  const broken: Picked = { kind: "zip", file: new File([], "vazio.zip") };
  const picked = [zipOf("a.zip", {}), broken, zipOf("b.zip", { study: "2" })];
  const { uploads, exams, leftOut } = await planOf(picked);
  expect(uploads.map(({ zip }) => zip?.name)).toEqual(["a.zip", "b.zip"]);
  expect(exams).toHaveLength(2);
  expect(leftOut).toEqual([{ name: "vazio.zip", problem: "badZip" }]);
});

test("a folder larger than an upload is delivered in parts, which are told again when it is picked once more", async () => {
  const folder = folderOf(3);
  const maxUploadBytes = packedSizeBytes(folder.files.slice(0, 1)) + 50;
  const keys = async () => (await planOf([folder], maxUploadBytes)).uploads.map(keyOfPlanned);
  const first = await keys();
  expect([new Set(first).size, first.every(Boolean)]).toEqual([3, true]);
  expect(await keys()).toEqual(first);
  // Another exam of the same size at the same path is another part.
  const [other] = (await planOf([{ ...folder, files: folderFiles({ IM0: sampleInstance({ study: "9" }) }) }]))
    .uploads;
  expect(other && first.includes(keyOfPlanned(other))).toBe(false);
});

test("nothing is sent of more than one delivery takes, which is said before", async () => {
  const folder = folderOf(51);
  const maxUploadBytes = packedSizeBytes(folder.files.slice(0, 1)) + 50;
  const { uploads, leftOut } = await planOf([folder], maxUploadBytes);
  expect([uploads.length, leftOut]).toEqual([0, [{ name: "", problem: "tooManyUploads" }]]);
});
