const REVOKE_AFTER_MS = 10_000;

/** Saves what the canvas shows as a PNG. */
export async function saveImage(canvas: HTMLCanvasElement | null, title: string): Promise<void> {
  const blob = await new Promise<Blob | null>((resolve) => {
    if (canvas) canvas.toBlob(resolve, "image/png");
    else resolve(null);
  });
  if (!blob) return;
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = `${title.replace(/[^\p{L}\p{N} .-]/gu, "").trim() || "visor"}.png`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), REVOKE_AFTER_MS);
}
