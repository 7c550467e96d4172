/** The SHA-256 of a piece of a file in base64. Rejects with the browser's own error if the file is gone. */
export async function sumPiece(piece: Blob): Promise<string> {
  const sum = await crypto.subtle.digest("SHA-256", await piece.arrayBuffer());
  return btoa(String.fromCharCode(...new Uint8Array(sum)));
}
