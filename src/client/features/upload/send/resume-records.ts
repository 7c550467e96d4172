import * as z from "zod/mini";
import { DAY_MS } from "../../../../shared/units.ts";
import { localStore } from "../../../runtime/browser-storage.ts";

const KEY = "uploads-under-way";
/** The server drops an upload after this time, too. */
const KEPT_MS = 7 * DAY_MS;
const MAX_RECORDS = 40;
/** Chunks of an upload that are compared with a file that is picked again. */
const MAX_SAMPLES = 64;

const sampleSchema = z.object({ offset: z.number(), length: z.number(), sum: z.string() });
export type SentSample = z.infer<typeof sampleSchema>;

const recordSchema = z.object({
  /** The id of the tray's row. */
  id: z.string(),
  userId: z.string(),
  /** The upload's path on the server. */
  path: z.string(),
  kind: z.enum(["zip", "folder"]),
  sizeBytes: z.number(),
  /** The file in the browser's private file system, if the exam was packed here. */
  packedName: z.optional(z.string()),
  isPaused: z.boolean(),
  savedAt: z.number(),
  samples: z.array(sampleSchema),
});

/** What the browser remembers of an upload, to go on with it after a reload. It names nobody: the server knows the rest. */
export type ResumeRecord = z.infer<typeof recordSchema>;

function readAll(): ResumeRecord[] {
  const parsed = z.array(z.unknown()).safeParse(localStore.readJson(KEY));
  const records = (parsed.success ? parsed.data : []).flatMap((one) => {
    const record = recordSchema.safeParse(one);
    return record.success ? [record.data] : [];
  });
  return records.filter(({ savedAt }) => Date.now() - savedAt < KEPT_MS);
}

function writeAll(records: ResumeRecord[]): void {
  localStore.write(KEY, records.length > 0 ? JSON.stringify(records.slice(-MAX_RECORDS)) : undefined);
}

export function findRecord(id: string): ResumeRecord | undefined {
  return readAll().find((record) => record.id === id);
}

export function listRecords(userId: string): ResumeRecord[] {
  return readAll().filter((record) => record.userId === userId);
}

/** The packed files that an upload of anybody may still need. */
export function packedNamesInUse(): Set<string> {
  return new Set(readAll().flatMap(({ packedName }) => packedName ?? []));
}

export function saveRecord(record: ResumeRecord): void {
  writeAll([...readAll().filter(({ id }) => id !== record.id), record]);
}

export function changeRecord(id: string, change: Partial<ResumeRecord>): void {
  const record = findRecord(id);
  if (record) saveRecord({ ...record, ...change, savedAt: Date.now() });
}

export function forgetRecord(id: string): void {
  writeAll(readAll().filter((record) => record.id !== id));
}

/** The upload's id on the server; empty if the row has none there. */
export function serverIdOf(id: string): string {
  return uploadIdOf(findRecord(id)?.path);
}

/** Forgets the row of an upload. @param uploadId the server's */
export function forgetUpload(uploadId: string): void {
  writeAll(readAll().filter((record) => uploadIdOf(record.path) !== uploadId));
}

/** The server's id of the upload at a path. */
export function uploadIdOf(path: string | undefined): string {
  return path?.split("/").at(-1) ?? "";
}

/** Remembers a chunk that the server has, if it is the next to be compared. */
export function addSample(id: string, sample: SentSample): void {
  const record = findRecord(id);
  if (!record) return;
  const last = record.samples.at(-1);
  const stepBytes = record.sizeBytes / MAX_SAMPLES;
  if (last && sample.offset < last.offset + stepBytes) return;
  changeRecord(id, { samples: [...record.samples, sample] });
}
