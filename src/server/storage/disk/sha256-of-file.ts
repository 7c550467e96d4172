import type { FileHandle } from "node:fs/promises";

const PIECE_BYTES = 1024 * 1024;

/** The SHA-256 (hex) of the bytes of an open file from `start` to `end`, in constant memory; undefined if the file ends before. */
export async function sha256OfFile(
  file: FileHandle,
  start: number,
  end: number,
): Promise<string | undefined> {
  const hash = new Bun.CryptoHasher("sha256");
  const piece = new Uint8Array(PIECE_BYTES);
  for (let at = start; at < end; ) {
    const { bytesRead } = await file.read(piece, 0, Math.min(piece.length, end - at), at);
    if (bytesRead === 0) return undefined;
    hash.update(piece.subarray(0, bytesRead));
    at += bytesRead;
  }
  return hash.digest("hex");
}
