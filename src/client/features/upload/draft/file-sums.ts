import { Crc32 } from "../../../../shared/zip/crc32.ts";
import { workerAnswer } from "../../../runtime/worker-answer.ts";
import type { PackableFile } from "../pack-folder/pack-folder.ts";
import { PackingFailed } from "../pack-folder/packed-folder.ts";

export interface SumRequest {
  files: Blob[];
}

export type SumReport = { type: "done"; sums: number[] } | { type: "failed"; message: string };

const STEP_BYTES = 1024 * 1024;

const sums = new WeakMap<Blob, number>();

/** CRC-32 of a file: an entry's from its ZIP, a loose one's once it was summed. Undefined if nobody has read it yet. */
export function sumOf({ file, entry }: PackableFile): number | undefined {
  return entry ? entry.crc32 : sums.get(file);
}

/** Reads loose files in a worker, so that {@link sumOf} knows them. @throws {PackingFailed} if one is gone */
export async function sumInWorker(files: readonly Blob[], signal: AbortSignal): Promise<void> {
  const unknown = files.filter((file) => !sums.has(file));
  if (unknown.length === 0) return;
  const worker = new Worker(new URL("./file-sums.worker.ts", import.meta.url), { type: "module" });
  const found = await workerAnswer<SumReport, number[]>(worker, { files: unknown } satisfies SumRequest, {
    take(report) {
      if (report.type === "done") return report.sums;
      throw new PackingFailed(report.message);
    },
    failed: (message) => new PackingFailed(message),
    signal,
  });
  for (const [n, file] of unknown.entries()) sums.set(file, found[n] ?? 0);
}

/** CRC-32 of each file; at most a megabyte is held. A file that is gone fails with the browser's own error. */
export async function sumFiles(files: readonly Blob[]): Promise<number[]> {
  const found: number[] = [];
  for (const file of files) {
    const sum = new Crc32();
    for (let offset = 0; offset < file.size; offset += STEP_BYTES)
      sum.add(new Uint8Array(await file.slice(offset, offset + STEP_BYTES).arrayBuffer()));
    found.push(sum.value);
  }
  return found;
}
