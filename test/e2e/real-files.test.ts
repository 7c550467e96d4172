import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { unzipSync, zipSync } from "fflate";
import { readInstance } from "../../src/server/dicom/read-instance.ts";
import type { Study } from "../../src/shared/api/studies.ts";
import type { UploadAnswer } from "../../src/shared/api/upload.ts";
import type { Instance } from "../../src/shared/dicom/reading/instance.ts";
import { memorySource } from "../../src/shared/dicom/reading/memory-source.ts";
import { TagHex } from "../../src/shared/dicom/tags.ts";
import { createTestApp, type Person, type TestApp } from "../support/app/test-app.ts";
import { sha256 } from "../support/program/stored-bytes.ts";

/** A folder of real DICOM files, searched through with its subfolders. */
const folder = process.env.DICOM_SAMPLES;
const paths = folder ? [...new Bun.Glob("**/*").scanSync(folder)].sort() : [];
/** Names that an upload passes over inside a ZIP. */
const isIgnored = (path: string) => /\.(jpg|txt)/.test(basename(path));

const REASONS = /^(ignored_name|not_dicom|dicomdir|zip\.[a-z_]+|instance\.(bad_uid|truncated|[a-z_]+))$/;
const FILE_TIMEOUT_MS = 240_000;

let t: TestApp;
let admin: Person;
beforeAll(async () => {
  if (!folder) return;
  t = await createTestApp();
  admin = await t.addPerson("Arquivo Real", { role: "admin" });
});
afterAll(() => t?.[Symbol.asyncDispose]());

interface Sample {
  path: string;
  bytes: Uint8Array;
  sha256: string;
  instance: Instance | undefined;
}

function readSample(path: string): Sample {
  const bytes = new Uint8Array(readFileSync(join(folder ?? "", path)));
  const read = readInstance(memorySource(bytes));
  return { path, bytes, sha256: sha256(bytes), instance: read.ok ? read.instance : undefined };
}

async function list(): Promise<Study[]> {
  return (await (await t.call("GET", "/api/studies", { as: admin })).json()) as Study[];
}

async function downloadHashes(id: string): Promise<string[]> {
  const answer = await t.call("GET", `/api/studies/${id}/download`, { as: admin });
  expect(answer.status).toBe(200);
  return Object.values(unzipSync(new Uint8Array(await answer.arrayBuffer()))).map(sha256);
}

async function tokenFor(id: string): Promise<string> {
  const data = Buffer.from(JSON.stringify([{ userId: admin.id, id }])).toString("base64url");
  const answer = await t.call("GET", `/generate-token?data=${data}`, { as: admin });
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { token: string }).token;
}

/** Whether so many bytes can be one frame: exactly as large as it says where it is not compressed. */
function isPlausible(instance: Instance, sizeBytes: number): boolean {
  const { frames, metadata } = instance;
  if (frames.kind !== "native") return sizeBytes > 0;
  const number = (tag: string, otherwise: number) => Number(metadata[tag]?.Value?.[0] ?? otherwise);
  const pixels = number(TagHex.Rows, 0) * number(TagHex.Columns, 0);
  if (pixels === 0) return sizeBytes === frames.frameBytes;
  const exact = Math.ceil((pixels * number(TagHex.SamplesPerPixel, 1) * number(TagHex.BitsAllocated, 8)) / 8);
  // YBR_FULL_422 keeps two thirds of the samples (PS3.3 §C.7.6.3.1.2); a file may be cut or padded.
  return sizeBytes > 0 && sizeBytes <= exact + 1 && sizeBytes >= Math.floor((exact * 2) / 3);
}

async function frameSizes(
  token: string,
  instance: Instance,
): Promise<{ status: number; sizeBytes: number }[]> {
  if (instance.frames.kind === "none") return [];
  const base = `/dicomweb/t/${token}/studies/${instance.studyInstanceUID}/series/${instance.seriesInstanceUID}`;
  const wanted = [...new Set([1, instance.frames.frameCount])];
  return await Promise.all(
    wanted.map(async (frameNumber) => {
      const answer = await t.call(
        "GET",
        `${base}/instances/${instance.sopInstanceUID}/frames/${frameNumber}`,
        {
          headers: { accept: "application/octet-stream; transfer-syntax=*" },
        },
      );
      return { status: answer.status, sizeBytes: (await answer.arrayBuffer()).byteLength };
    }),
  );
}

describe.skipIf(!folder)("real files", () => {
  test(
    "in one ZIP are each listed in a study or refused with a reason, and come back bit for bit",
    async () => {
      const samples = paths.map(readSample);
      const zip = zipSync(Object.fromEntries(samples.map(({ path, bytes }) => [path, bytes])), { level: 0 });
      const answer: UploadAnswer = await t.store(admin, zip);
      const refused = new Map(answer.skipped.map(({ name, reason }) => [name, reason]));
      expect(answer.skippedCount).toBe(answer.skipped.length);
      for (const { reason } of answer.skipped) expect(reason).toMatch(REASONS);
      const taken = samples.filter(({ path }) => !refused.has(path));
      const duplicates = answer.studies.reduce((sum, study) => sum + study.duplicates, 0);
      expect(taken.length).toBe(answer.instancesReceived + duplicates + answer.conflictCount);
      expect(taken.map(({ instance }) => instance !== undefined)).not.toContain(false);
      expect(
        samples.filter(({ path, instance }) => instance && refused.has(path) && !isIgnored(path)),
      ).toEqual([]);

      const studies = await list();
      expect(studies.length).toBe(answer.studies.length);
      expect(studies.reduce((sum, study) => sum + study.imagesReceived, 0)).toBe(answer.instancesReceived);
      const sopOf = ({ instance }: Sample) => `${instance?.studyInstanceUID} ${instance?.sopInstanceUID}`;
      const byStudy = (chosen: Sample[]) =>
        Map.groupBy(chosen, ({ instance }) => instance?.studyInstanceUID ?? "");
      // Of instances with one SOP Instance UID in a study all that differ are kept, and the first is shown.
      const kept = byStudy(firstOfEach(taken, (sample) => `${sopOf(sample)} ${sample.sha256}`));
      const expected = byStudy(firstOfEach(taken, sopOf));
      for (const { id, studyInstanceUID, imagesReceived } of studies) {
        const hashes = await downloadHashes(id);
        expect(expected.get(studyInstanceUID)).toHaveLength(imagesReceived);
        expect(hashes.sort()).toEqual((kept.get(studyInstanceUID) ?? []).map(({ sha256 }) => sha256).sort());
      }

      let frames = 0;
      for (const { id, studyInstanceUID } of studies) {
        const token = await tokenFor(id);
        for (const { path, instance } of expected.get(studyInstanceUID) ?? []) {
          if (!instance) continue;
          for (const { status, sizeBytes } of await frameSizes(token, instance)) {
            frames++;
            expect({ path, status, isPlausible: isPlausible(instance, sizeBytes) }).toEqual({
              path,
              status: 200,
              isPlausible: true,
            });
          }
        }
      }
      expect(frames).toBeGreaterThan(taken.length / 2);
    },
    FILE_TIMEOUT_MS,
  );

  test(
    "sent one by one are accepted, already there, or refused with a reason; the server never fails",
    async () => {
      const answers = new Map<string, number>();
      for (const path of paths) {
        const { bytes, instance } = readSample(path);
        const answer = await t.upload(admin, zipSync({ [path]: bytes }, { level: 0 }));
        const expected = instance && !isIgnored(path) ? 201 : 422;
        expect({ path, status: answer.status }).toEqual({ path, status: expected });
        const body = (await answer.json()) as Pick<UploadAnswer, "skipped">;
        for (const { reason } of body.skipped) expect(reason).toMatch(REASONS);
        answers.set(path, answer.status);
      }
      expect(answers.size).toBe(paths.length);
      await t.settle();
      expect((await list()).every(({ storageStatus }) => storageStatus === "b2")).toBe(true);
    },
    FILE_TIMEOUT_MS,
  );
});

function firstOfEach(samples: Sample[], nameOf: (sample: Sample) => string): Sample[] {
  const seen = new Map<string, Sample>();
  for (const sample of samples) {
    const name = nameOf(sample);
    if (!seen.has(name)) seen.set(name, sample);
  }
  return [...seen.values()];
}
