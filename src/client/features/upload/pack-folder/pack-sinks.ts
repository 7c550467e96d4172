import type { PackSink } from "./pack-folder.ts";
import { canKeepPackedFiles, openPackedFile } from "./packed-files.ts";

/** Takes a ZIP's pieces; `finish` returns the whole ZIP. */
export interface PackTarget {
  sink: PackSink;
  finish(): Promise<Blob>;
}

const BATCH_BYTES = 4 * 1024 * 1024;

/**
 * The destination of a packed folder of `sizeBytes`: a file on disk if the browser has room for one, else a Blob. Browsers
 * keep large Blobs out of memory themselves.
 */
export async function openPackTarget(name: string, sizeBytes: number): Promise<PackTarget> {
  return (await canKeepPackedFiles()) && (await hasRoom(sizeBytes)) ? fileTarget(name) : blobTarget();
}

async function hasRoom(sizeBytes: number): Promise<boolean> {
  const { quota = 0, usage = 0 } = await navigator.storage.estimate();
  return quota - usage > sizeBytes;
}

async function fileTarget(name: string): Promise<PackTarget> {
  const handle = await openPackedFile(name);
  const writable = await handle.createWritable();
  const { sink, flush } = inBatches((batch) => writable.write(new Blob(batch)));
  return {
    sink,
    async finish() {
      await flush();
      await writable.close();
      return handle.getFile();
    },
  };
}

export function blobTarget(): PackTarget {
  const parts: Blob[] = [];
  const { sink, flush } = inBatches(async (batch) => {
    parts.push(new Blob(batch));
  });
  return {
    sink,
    async finish() {
      await flush();
      return new Blob(parts);
    },
  };
}

/** Thousands of small files must not become thousands of writes. */
function inBatches(write: (batch: BlobPart[]) => Promise<void>) {
  let batch: BlobPart[] = [];
  let length = 0;
  const flush = async () => {
    const full = batch;
    batch = [];
    length = 0;
    if (full.length > 0) await write(full);
  };
  const sink: PackSink = async (chunk) => {
    batch.push(chunk as Uint8Array<ArrayBuffer>);
    length += chunk.length;
    if (length >= BATCH_BYTES) await flush();
  };
  return { sink, flush };
}
