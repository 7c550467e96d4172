import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { deflateRawSync } from "node:zlib";
import { DEMO_PATIENTS } from "../../../scripts/demo/phantom/patients.ts";
import { generateStudy, TRANSFER_SYNTAX } from "../../../scripts/demo/phantom/study.ts";
import {
  type Candidate,
  findMetadata,
} from "../../../src/client/features/upload/read-dicom/find-metadata.ts";
import { inflateHead } from "../../../src/client/features/upload/read-dicom/inflate-head.ts";
import { readInstanceMetadata } from "../../../src/client/features/upload/read-dicom/instance-metadata.ts";
import { readEntryHead } from "../../../src/client/features/upload/read-dicom/zip-entry-head.ts";
import { writeInstance } from "../../../src/server/dicom/write-instance.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { readZipEntries } from "../../../src/shared/zip/open-zip-blob.ts";
import { folderFiles, zipFile } from "../../support/client/upload-files.ts";
import { sampleFile, sampleWithout } from "../../support/dicom/dicom-sample.ts";
import { writeTestZip } from "../../support/zip/zip-archive.ts";

const samples = process.env.DICOM_SAMPLES;
const noSignal = new AbortController().signal;

async function prefillFrom(zip: Blob) {
  const entries = await readZipEntries(zip);
  return metadataOf(
    entries.map((entry) => ({
      readHead: (maxBytes: number) => readEntryHead(zip, entry, maxBytes),
    })),
  );
}

async function metadataOf(candidates: Candidate[]) {
  const found = await findMetadata(candidates, noSignal);
  return found.kind === "found" ? found.metadata : undefined;
}

describe("the form is filled from the first readable instance", () => {
  for (const level of [0, 6] as const) {
    test(`of a ZIP whose entries are ${level ? "deflated" : "stored"}`, async () => {
      const zip = zipFile({ "LEIA.txt": Buffer.from("oi"), "CD/IM1": sampleFile() }, { level });
      expect(await prefillFrom(zip)).toEqual({
        patientName: "João Conceição",
        patientIDTag: "P 001",
        patientBirthDate: "1961-05-09",
        patientGender: "M",
        accessionNumber: "A-17",
        description: "Crânio sem contraste",
        examinedAt: "2026-03-14T07:27",
        modality: "CT",
        studyInstanceUID: "2.25.10",
        institutionName: "Clínica São José",
      });
    });
  }

  test("of a ZIP written as a stream, with a comment and something in front of it", async () => {
    const entries = [{ name: "IM1", content: sampleFile(), method: 8, dataDescriptor: true }];
    const bytes = writeTestZip(entries, {
      prefix: Buffer.from("#!/bin/sh\n"),
      comment: Buffer.from("PK\u0005\u0006"),
    });
    const zip = new Blob([bytes as Uint8Array<ArrayBuffer>]);
    expect((await prefillFrom(zip))?.studyInstanceUID).toBe("2.25.10");
  });

  for (const [name, transferSyntaxUID] of Object.entries(TRANSFER_SYNTAX)) {
    for (const [who, patient] of Object.entries(DEMO_PATIENTS)) {
      test(`written as ${name}, of ${who}`, () => {
        const [instance] = generateStudy({ kind: "cr-chest", seed: 1, size: 64, patient, transferSyntaxUID });
        const form = readInstanceMetadata(instance?.bytes ?? new Uint8Array(0));
        expect(form?.studyInstanceUID).toBe(instance?.attributes.studyInstanceUID ?? "");
        expect(form?.patientName).toBeTruthy();
        expect(form?.patientName).not.toMatch(/[\ufffd^=]/);
      });
    }
  }

  test("even if it lacks preamble and header, or is cut anywhere after its UID", () => {
    const transferSyntaxUID = "1.2.840.10008.1.2";
    const elements = { ...sampleWithout() };
    const bare = writeInstance({ transferSyntaxUID, elements, preamble: false, fileMeta: false });
    expect(readInstanceMetadata(bare)?.studyInstanceUID).toBe("2.25.10");
    const whole = sampleFile();
    expect(readInstanceMetadata(whole.subarray(0, whole.length - 6))?.studyInstanceUID).toBe("2.25.10");
  });

  test("but not from a file without a Study Instance UID or of another format", () => {
    expect(
      readInstanceMetadata(
        writeInstance({
          transferSyntaxUID: "1.2.840.10008.1.2.1",
          elements: sampleWithout(TagHex.StudyInstanceUID),
        }),
      ),
    ).toBeUndefined();
    expect(readInstanceMetadata(new Uint8Array(4096))).toBeUndefined();
    expect(readInstanceMetadata(new Uint8Array(0))).toBeUndefined();
  });

  test("and unreadable instances are skipped", async () => {
    const [broken] = folderFiles({ a: sampleFile().subarray(0, 200) });
    const readHead = async (maxBytes: number) => sampleFile().subarray(0, maxBytes);
    const candidates = [
      { readHead: async () => new Uint8Array(await (broken?.file ?? new Blob()).arrayBuffer()) },
      { readHead: async () => undefined },
      { readHead },
    ];
    expect((await metadataOf(candidates))?.studyInstanceUID).toBe("2.25.10");
  });
});

describe("a search that finds nothing", () => {
  const file = (bytes: Uint8Array | undefined): Candidate => {
    return { readHead: async (maxBytes) => bytes?.subarray(0, maxBytes) };
  };
  const nothing = file(new Uint8Array(2000));
  const unread = file(undefined);
  const cut = file(sampleFile().subarray(0, 200));
  const kindOf = async (...candidates: Candidate[]) => (await findMetadata(candidates, noSignal)).kind;

  test("is sure if no file begins like an instance", async () => {
    expect(await kindOf()).toBe("none");
    expect(await kindOf(nothing, nothing)).toBe("none");
  });

  test("is unsure if a file can't be read in the browser, or begins like an instance", async () => {
    expect(await kindOf(nothing, unread)).toBe("unsure");
    expect(await kindOf(nothing, cut)).toBe("unsure");
    expect(await kindOf(file(Buffer.from("DICM and more")))).toBe("unsure");
    expect(await kindOf(file(Uint8Array.of(0, 8, 0, 5, 0, 0, 0, 2)))).toBe("unsure");
  });

  test("ends after the maximum number of files, and is unsure", async () => {
    const limits = { maxProbes: 3, maxHeads: 2 };
    const good = file(sampleFile());
    const found = (candidates: Candidate[]) => findMetadata(candidates, noSignal, limits);
    expect((await found([nothing, nothing, good])).kind).toBe("found");
    expect((await found([nothing, nothing, nothing, good])).kind).toBe("unsure");
    expect((await found([cut, good])).kind).toBe("found");
    expect((await found([cut, cut, good])).kind).toBe("unsure");
  });
});

test("inflating holds at most a few megabytes beyond the wanted size, whatever the data inflate to", () => {
  const bomb = deflateRawSync(new Uint8Array(256 * 1024 * 1024));
  expect(bomb.length).toBeLessThan(300_000);
  const before = process.memoryUsage().rss;
  let work = 0;
  expect(inflateHead(bomb, 1024, (bytes) => (work += bytes))?.length).toBe(1024);
  expect(work).toBeWithin(1024, 4 * 1024 * 1024);
  expect(process.memoryUsage().rss - before).toBeLessThan(32 * 1024 * 1024);
});

test.skipIf(!samples)("real files: each either fills the form or is passed over, none throws", () => {
  const folder = samples ?? "";
  let filled = 0;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const bytes = readFileSync(join(entry.parentPath, entry.name));
    if (readInstanceMetadata(new Uint8Array(bytes.subarray(0, 1024 * 1024)))) filled++;
  }
  expect(filled).toBeGreaterThan(500);
});
