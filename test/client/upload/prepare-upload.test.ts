import { expect, test } from "bun:test";
import { unzipSync } from "fflate";
import type { Picked } from "../../../src/client/features/pick/picked-files.ts";
import { readSource } from "../../../src/client/features/upload/draft/read-source.ts";
import { packedSizeBytes, packFolder } from "../../../src/client/features/upload/pack-folder/pack-folder.ts";
import { blobTarget } from "../../../src/client/features/upload/pack-folder/pack-sinks.ts";
import { prepareUploads } from "../../support/app/prepare-upload.ts";
import { folderFiles, zipFile } from "../../support/client/upload-files.ts";
import { sampleFile } from "../../support/dicom/dicom-sample.ts";
import { writeTestZip } from "../../support/zip/zip-archive.ts";

const GIGABYTE = 1024 ** 3;

async function prepare(picked: Picked) {
  const [only, another] = await prepareUploads([picked]);
  if (!only || another) throw new Error("not one upload");
  return only;
}

function problemOf(picked: Picked, maxUploadBytes?: number): Promise<unknown> {
  return prepareUploads([picked], maxUploadBytes).then(
    () => undefined,
    ({ message }) => message,
  );
}

const folder = (entries: Record<string, Uint8Array | string>): Picked => ({
  kind: "folder",
  name: "CD",
  files: folderFiles(entries),
});

test("a folder becomes dicom_files.zip with every file that may be DICOM, byte for byte", async () => {
  const instance = sampleFile();
  const skipped = [
    "foto.jpg",
    "a.ZIP",
    "x.dll",
    "autorun.inf",
    "y.ini",
    "z.ssm",
    "l.rtf",
    "l.txt",
    "r.res",
    "v.exe",
    "m.pdf",
    "w.js",
  ];
  const picked = folder({
    "CD/IM1": instance,
    "CD/sub/São João/IM2.dcm": instance,
    "CD/empty": "",
    ...Object.fromEntries(skipped.map((name) => [`CD/${name}`, "x"])),
  });
  const upload = await prepare(picked);
  expect(upload.fileName).toBe("dicom_files.zip");
  expect([upload.fileCount, upload.keptCount]).toEqual([15, 3]);
  expect(upload.prefilled?.studyInstanceUID).toBe("2.25.10");
  const packed = unzipSync(new Uint8Array(await upload.zip.arrayBuffer()));
  expect<Record<string, Uint8Array>>(packed).toEqual({
    "CD/IM1": instance,
    "CD/sub/São João/IM2.dcm": instance,
    "CD/empty": new Uint8Array(0),
  });
});

test("a folder's name does not decide whether its files are sent", async () => {
  const upload = await prepare(folder({ "exame.zip_files/IM1": sampleFile() }));
  expect(upload.keptCount).toBe(1);
});

test("the exact size of the packed folder is known before packing starts", async () => {
  const files = folderFiles({ "a/á.dcm": new Uint8Array(3_000_000), b: "", c: "abc" });
  const target = blobTarget();
  await packFolder(files, target.sink);
  expect((await target.finish()).size).toBe(packedSizeBytes(files));
});

test("files that can't be sent are refused with a reason", async () => {
  const zip = (file: File): Picked => ({ kind: "zip", file });
  const good = zipFile({ IM1: sampleFile() });
  expect(await problemOf({ kind: "refused" })).toBe("notZip");
  expect(await problemOf(zip(new File(["x"], "exame.rar")))).toBe("notZip");
  expect(await problemOf(zip(good), good.size - 1)).toBe("tooLarge");
  expect(await problemOf(zip(new File([], "vazio.zip")))).toBe("badZip");
  expect(await problemOf(zip(zipFile({ "a.dcm": Buffer.from("x"), "im.txt": sampleFile() })))).toBe(
    "noDicom",
  );
  const locked = writeTestZip([
    { name: "CD/IM1", content: sampleFile(), flags: 1 },
    { name: "CD/leia.txt", content: Buffer.from("x") },
  ]);
  expect(await problemOf(zip(new File([new Uint8Array(locked)], "senha.zip")))).toBe("lockedZip");
  expect(await problemOf(folder({ "CD/leia.txt": "x" }))).toBe("noFiles");
  expect(await problemOf(folder({ "CD/leia.md": "x" }))).toBe("noDicom");
});

test("the page can answer while the sizes of thousands of files are asked for", async () => {
  class SlowFile extends File {
    override get size(): number {
      const until = performance.now() + 1;
      while (performance.now() < until);
      return super.size;
    }
  }
  const files = Array.from({ length: 300 }, (_, n) => ({ path: `IM${n}`, file: new SlowFile(["x"], "IM") }));
  let turns = 0;
  const timer = setInterval(() => turns++);
  const signal = new AbortController().signal;
  const turnsBefore = () => {
    throw new Error(`${turns}`);
  };
  const options = { maxUploadBytes: GIGABYTE, onProgress() {}, signal, look: turnsBefore };
  const answered = await readSource({ kind: "folder", name: "CD", files }, options).catch(
    ({ message }) => message,
  );
  clearInterval(timer);
  expect(Number(answered)).toBeGreaterThan(5);
});

test("a folder with more files than a page may hold is refused completely", async () => {
  const [one] = folderFiles({ "CD/IM": new Uint8Array(1) });
  if (!one) throw new Error("no file");
  const files = Array.from({ length: 200_001 }, () => one);
  expect(await problemOf({ kind: "folder", name: "CD", files })).toBe("tooManyFiles");
});

test("a ZIP is sent unchanged", async () => {
  const file = zipFile({ "CD/": new Uint8Array(0), "CD/IM1": sampleFile(), "CD/capa.jpg": Buffer.from("x") });
  const upload = await prepare({ kind: "zip", file });
  expect(upload.zip).toBe(file);
  expect([upload.fileName, upload.fileCount, upload.keptCount]).toEqual(["exame.zip", 2, 1]);
});
