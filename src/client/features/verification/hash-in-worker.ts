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
  const { promise, resolve, reject } = Promise.withResolvers<HashedFile[]>();
  const abort = () => reject(signal.reason);
  signal.addEventListener("abort", abort);
  worker.onerror = () => reject(new HashFailed("unreadable"));
  worker.onmessage = ({ data }: MessageEvent<HashReport>) => {
    if (data.type === "hashed") onHashed(data.files, data.total);
    else if (data.type === "done") resolve(data.files);
    else reject(new HashFailed(data.reason));
  };
  worker.postMessage(request);
  try {
    return await promise;
  } finally {
    signal.removeEventListener("abort", abort);
    worker.terminate();
  }
}
