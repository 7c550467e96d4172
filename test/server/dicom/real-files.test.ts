import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { inflateRawSync } from "node:zlib";
import dicomParser from "dicom-parser";
import { parseFile } from "../../../src/server/dicom/parse-file.ts";
import { readInstance } from "../../../src/server/dicom/read-instance.ts";
import type { Instance } from "../../../src/shared/dicom/reading/instance.ts";
import { memorySource } from "../../../src/shared/dicom/reading/memory-source.ts";

/** Loaded by hand, because it has no types. */
const dcmjs = (await import(Bun.resolveSync("dcmjs", import.meta.dir))).default;
dcmjs.log.setLevel("silent");

/** A folder of real DICOM files, searched through with its subfolders. */
const folder = process.env.DICOM_SAMPLES;
const paths = folder ? [...new Bun.Glob("**/*").scanSync(folder)].sort() : [];

interface Sample {
  path: string;
  bytes: Uint8Array;
}

function* samples(): Generator<Sample> {
  for (const path of paths) yield { path, bytes: readFileSync(join(folder ?? "", path)) };
}

function taken({ bytes }: Sample): Instance | undefined {
  const read = readInstance(memorySource(bytes));
  return read.ok ? read.instance : undefined;
}

/** The file as dicom-parser reads it; undefined if it gives up (it throws strings and objects). */
function readByDicomParser({ bytes }: Sample) {
  try {
    return dicomParser.parseDicom(new Uint8Array(bytes), { inflater: inflate });
  } catch {
    return undefined;
  }
}

/** The whole file with the bytes after `position` inflated, as dicom-parser needs it. */
function inflate(bytes: Uint8Array, position: number): Uint8Array {
  return new Uint8Array(
    Buffer.concat([bytes.subarray(0, position), inflateRawSync(bytes.subarray(position))]),
  );
}

describe.skipIf(!folder)("real files", () => {
  test("all get an answer, and most are accepted", () => {
    let accepted = 0;
    for (const sample of samples()) if (taken(sample)) accepted += 1;
    expect(accepted).toBeGreaterThan(0.9 * paths.length);
  });

  test("have the UIDs that dicom-parser reads", () => {
    let compared = 0;
    for (const sample of samples()) {
      const instance = taken(sample);
      const other = instance && readByDicomParser(sample);
      if (!other) continue;
      compared += 1;
      expect([sample.path, other.string("x0020000d")?.trim()]).toEqual([
        sample.path,
        instance.studyInstanceUID,
      ]);
      expect(other.string("x0020000e")?.trim()).toBe(instance.seriesInstanceUID);
      expect(other.string("x00080018")?.trim()).toBe(instance.sopInstanceUID);
    }
    expect(compared).toBeGreaterThan(0.9 * paths.length);
  });

  test("have their values at the offsets that dicom-parser finds", () => {
    for (const sample of samples()) {
      const other = taken(sample) && readByDicomParser(sample);
      if (!other) continue;
      for (const { tag, offset } of parseFile(memorySource(sample.bytes)).file.dataSet.elements) {
        const key = `x${tag.toString(16).padStart(8, "0")}`;
        const found = other.elements[key];
        if (found) expect([sample.path, key, found.dataOffset]).toEqual([sample.path, key, offset]);
      }
    }
  });

  test("have as many frames as they declare", () => {
    for (const sample of samples()) {
      const instance = taken(sample);
      if (!instance || instance.frames.kind === "none") continue;
      const declared = Number(instance.metadata["00280008"]?.Value?.[0] ?? 1) || 1;
      expect([sample.path, instance.frames.frameCount]).toEqual([sample.path, declared]);
    }
  });

  test("have the attributes that dcmjs reads, if it reads the file", () => {
    let compared = 0;
    for (const sample of everyFifth(samples())) {
      const instance = taken(sample);
      const other = instance && readByDcmjs(sample.bytes);
      if (!other) continue;
      compared += 1;
      for (const tag of ["00280010", "00280011", "00080060", "00200011"]) {
        const value = other[tag]?.Value?.[0];
        if (value === undefined || value === null || value === "") continue;
        expect([sample.path, tag, instance.metadata[tag]?.Value?.[0]]).toEqual([sample.path, tag, value]);
      }
    }
    expect(compared).toBeGreaterThan(0.15 * paths.length);
  });

  test("are recognised by their bytes without preamble and File Meta Information", () => {
    for (const sample of samples()) {
      const instance = taken(sample);
      if (!instance || instance.frames.kind === "encapsulated") continue;
      const { file, source } = parseFile(memorySource(sample.bytes));
      const start = dataSetStart(file);
      const bare = Buffer.from(source.read(start, source.sizeBytes));
      const read = readInstance(memorySource(bare));
      expect([sample.path, read.ok && read.instance.index]).toEqual([sample.path, instance.index]);
    }
  });
});

/** dcmjs takes ten times as long as the rest together. */
function* everyFifth(all: Generator<Sample>): Generator<Sample> {
  let i = 0;
  for (const sample of all) if (i++ % 5 === 0) yield sample;
}

function readByDcmjs(bytes: Uint8Array): Record<string, { Value?: unknown[] }> | undefined {
  try {
    const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
    return dcmjs.data.DicomMessage.readFile(buffer, { ignoreErrors: true }).dict;
  } catch {
    return undefined;
  }
}

function dataSetStart({ dataSet, fileMeta }: ReturnType<typeof parseFile>["file"]): number {
  const last = fileMeta.elements.at(-1);
  const first = dataSet.elements[0];
  return last ? last.offset + last.length : (first?.offset ?? 0) - 8;
}
