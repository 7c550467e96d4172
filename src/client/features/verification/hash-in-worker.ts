import { workerAnswer } from "../../runtime/worker-answer.ts";
import type { HashedFile } from "./compare-files.ts";
import { HashFailed, type HashReport, type HashRequest } from "./hash-messages.ts";

export interface HashOptions {
  onHashed: (files: number, total: number) => void;
  signal: AbortSignal;
}

/** Hashes files in a worker. @throws {HashFailed} the signal's reason when aborted */
export async function hashInWorker(
  request: HashRequest,
  { onHashed, signal }: HashOptions,
): Promise<HashedFile[]> {
  signal.throwIfAborted();
  const worker = new Worker(new URL("./hash-files.worker.ts", import.meta.url), { type: "module" });
  return await workerAnswer<HashReport, HashedFile[]>(worker, request, {
    take(report) {
      if (report.type === "done") return report.files;
      if (report.type !== "hashed") throw new HashFailed(report.reason);
      onHashed(report.files, report.total);
    },
    failed: () => new HashFailed("unreadable"),
    signal,
  });
}
