/** Answers the SHA-256 of a piece of a file in base64, or nothing where the browser offers none. */
self.addEventListener("message", ({ data: { id, piece } }: MessageEvent<{ id: number; piece: Blob }>) => {
  sumOf(piece).then(
    (sum) => self.postMessage({ id, sum }),
    (error: unknown) => self.postMessage({ id, failure: String(error) }),
  );
});

async function sumOf(piece: Blob): Promise<string> {
  const sum = await crypto.subtle.digest("SHA-256", await piece.arrayBuffer());
  return btoa(String.fromCharCode(...new Uint8Array(sum)));
}
