import { sumPiece } from "./sum-piece.ts";

/** Answers the SHA-256 of a piece of a file in base64, or why it can't be read. */
self.addEventListener("message", ({ data: { id, piece } }: MessageEvent<{ id: number; piece: Blob }>) => {
  sumPiece(piece).then(
    (sum) => self.postMessage({ id, sum }),
    (error: unknown) => self.postMessage({ id, failure: String(error) }),
  );
});
