import { expect, test } from "bun:test";
import { keyOfPlanned } from "../../../src/client/features/delivery/kept-delivery.ts";
import { planDelivery } from "../../../src/client/features/delivery/plan-delivery.ts";
import type { Picked } from "../../../src/client/features/pick/picked-files.ts";
import { packedSizeBytes } from "../../../src/client/features/upload/pack-folder/pack-folder.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { planOf } from "../../support/app/prepare-upload.ts";
import { folderFiles, zipFile } from "../../support/client/upload-files.ts";
import { type SampleInstance, sampleInstance } from "../../support/zip/sample-zip.ts";

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
  // So is the same file at another path.
  const moved = folder.files.map(({ file }, n) => ({ path: `CD/OTHER${n}`, file }));
  const keysOfMoved = (await planOf([{ ...folder, files: moved }], maxUploadBytes)).uploads.map(keyOfPlanned);
  expect(keysOfMoved.filter((key) => first.includes(key))).toEqual([]);
  // So is a file that was written anew, though of the same size at the same path.
  const anew = folder.files.map(({ path, file }) => ({
    path,
    file: new File([file], path, { lastModified: Date.now() + 60_000 }),
  }));
  const rewritten = (await planOf([{ ...folder, files: anew }], maxUploadBytes)).uploads.map(keyOfPlanned);
  expect(rewritten.filter((key) => first.includes(key))).toEqual([]);
});

test("a delivery that is given up while it is looked into plans nothing, and names nothing as left out", async () => {
  const leaving = new AbortController();
  const planning = planDelivery([zipOf("a.zip", {}), zipOf("b.zip", { study: "2" })], {
    maxUploadBytes: 1024 ** 3,
    signal: leaving.signal,
    onProgress() {},
    sum: async () => {},
    async look() {
      leaving.abort();
      throw leaving.signal.reason;
    },
  });
  await expect(planning).rejects.toThrow(DOMException);
});

test("nothing is sent of more than one delivery takes, which is said before with what can't be read", async () => {
  const folder = folderOf(51);
  const maxUploadBytes = packedSizeBytes(folder.files.slice(0, 1)) + 50;
  const broken: Picked = { kind: "zip", file: new File([], "vazio.zip") };
  const { uploads, leftOut } = await planOf([folder, broken], maxUploadBytes);
  expect(uploads).toHaveLength(0);
  expect(leftOut).toEqual([
    { name: "vazio.zip", problem: "badZip" },
    { name: "", problem: "tooManyUploads" },
  ]);
});

test("an exam with an image larger than an upload is left out by its name, and a file by its path", async () => {
  const large = sampleInstance({
    study: "2",
    elements: {
      [TagHex.StudyDescription]: { vr: "LO", Value: ["TC de tórax"] },
      [TagHex.PixelData]: { vr: "OW", bytes: new Uint8Array(10_000) },
    },
  });
  // Its exam can't be read.
  const cut = { path: "CUT", file: new Blob([large.slice(0, 200), new Uint8Array(large.length)]) };
  const files = [...folderFiles({ SMALL: sampleInstance({}), LARGE: large }), cut];
  const { uploads, exams, leftOut } = await planOf([{ kind: "folder", name: "CD", files }], large.length - 1);
  expect([uploads.length, exams.length]).toEqual([1, 1]);
  expect(leftOut).toEqual([
    { name: "TC de tórax", problem: "imageTooLarge" },
    { name: "CUT", problem: "tooLarge" },
  ]);
});

test("other bytes of the same length under the UID of another folder's image are delivered too", async () => {
  const folders = ["A", "B"].map((name) => {
    const elements = { [TagHex.StudyDescription]: { vr: "LO", Value: [`exame ${name}`] } };
    const bytes = sampleInstance({ elements });
    return { kind: "folder", name, files: folderFiles({ IM1: bytes }) } as const;
  });
  const { uploads } = await planOf(folders);
  expect(uploads.map(({ files }) => files.length)).toEqual([1, 1]);
});

test("a drop of nothing is refused, and more than 20 sources are told by their names", async () => {
  expect((await planOf([])).leftOut).toEqual([{ name: "", problem: "notZip" }]);
  const picked = Array.from({ length: 21 }, (_, n) => zipOf(`${n + 1}.zip`, { study: `${n + 1}` }));
  const { uploads, leftOut } = await planOf(picked);
  expect([uploads.length, leftOut]).toEqual([20, [{ name: "21.zip", problem: "tooManySources" }]]);
});
