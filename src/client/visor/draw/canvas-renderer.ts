import { paint } from "./paint.ts";
import type { Picture, Renderer } from "./picture.ts";

/** Draws with the 2D canvas: slower, with the same pixels. */
export function createCanvasRenderer(canvas: HTMLCanvasElement): Renderer {
  const context = canvas.getContext("2d", { alpha: false });
  const sheet = document.createElement("canvas");
  let painted: Picture | undefined;

  const clear = () => {
    context?.setTransform(1, 0, 0, 1, 0, 0);
    context?.clearRect(0, 0, canvas.width, canvas.height);
  };

  return {
    draw(picture, { a, b, c, d, e, f }) {
      const { frame, table, isInverted } = picture;
      const isSame = painted?.frame === frame && painted.table === table && painted.isInverted === isInverted;
      if (!isSame) {
        sheet.width = frame.columns;
        sheet.height = frame.rows;
        sheet.getContext("2d")?.putImageData(new ImageData(paint(picture), frame.columns), 0, 0);
        painted = picture;
      }
      clear();
      if (!context) return;
      context.imageSmoothingEnabled = true;
      context.imageSmoothingQuality = "high";
      context.setTransform(a, b, c, d, e, f);
      context.drawImage(sheet, 0, 0);
    },
    clear,
    dispose() {
      sheet.width = 0;
      painted = undefined;
    },
  };
}
