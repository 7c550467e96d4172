import { t } from "@lingui/core/macro";
import { fileName } from "../../runtime/file-name.ts";
import { showToast } from "../../ui/toast.tsx";

const REVOKE_AFTER_MS = 10_000;

/** Saves what the canvas shows as a PNG. A browser that has no memory for one, or lost its graphics, makes none: a toast says so. */
export async function saveImage(canvas: HTMLCanvasElement | undefined, title: string): Promise<void> {
  const blob = await new Promise<Blob | null>((resolve) => {
    if (canvas) canvas.toBlob(resolve, "image/png");
    else resolve(null);
  });
  if (!blob) {
    showToast({
      tone: "bad",
      title: t({ id: "visor.saveFailed", message: "The image could not be saved" }),
      text: t({ id: "visor.saveFailed.text", message: "Close other pages and try again." }),
    });
    return;
  }
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = fileName("png", title);
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), REVOKE_AFTER_MS);
}
