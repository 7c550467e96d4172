import { sumPiece } from "./sum-piece.ts";

/** Sums pieces of files in a worker, so that the page stays responsive. */
export interface ChunkSums {
  /** The SHA-256 of a piece in base64. Rejects if the file is gone. */
  sum(piece: Blob): Promise<string>;
}

interface SumReport {
  id: number;
  sum?: string;
  failure?: string;
}

/** A file can't be read any more. */
export class PieceUnreadable extends Error {
  override name = "PieceUnreadable";
}

/**
 * Lends sums to `work`, and ends their worker after it; undefined where the browser has no SHA-256: pages without TLS. It is no
 * `Disposable`, because the login page would load the bundler's helper for `using`.
 */
export async function withChunkSums<Result>(
  work: (sums: ChunkSums | undefined) => Promise<Result>,
): Promise<Result> {
  const sums = openChunkSums();
  try {
    return await work(sums);
  } finally {
    sums?.end();
  }
}

interface Asked extends PromiseWithResolvers<string> {
  piece: Blob;
}

function openChunkSums(): (ChunkSums & { end(): void }) | undefined {
  if (globalThis.crypto?.subtle === undefined || typeof Worker === "undefined") return undefined;
  const worker = new Worker(new URL("./chunk-sum.worker.ts", import.meta.url), { type: "module" });
  const waiting = new Map<number, Asked>();
  let lastId = 0;
  let isLost = false;
  worker.onmessage = ({ data: { id, sum, failure } }: MessageEvent<SumReport>) => {
    const asked = waiting.get(id);
    waiting.delete(id);
    if (sum !== undefined) asked?.resolve(sum);
    else asked?.reject(new PieceUnreadable(failure));
  };
  // Its code could not be loaded, as in a moment without a connection: it never answers, so the page sums by itself.
  worker.onerror = () => {
    isLost = true;
    for (const { piece, resolve } of waiting.values()) resolve(sumHere(piece));
    waiting.clear();
  };
  return {
    sum(piece) {
      if (isLost) return sumHere(piece);
      const asked: Asked = { piece, ...Promise.withResolvers<string>() };
      waiting.set(++lastId, asked);
      worker.postMessage({ id: lastId, piece });
      return asked.promise;
    },
    end: () => worker.terminate(),
  };
}

async function sumHere(piece: Blob): Promise<string> {
  try {
    return await sumPiece(piece);
  } catch (error) {
    throw new PieceUnreadable(String(error));
  }
}
