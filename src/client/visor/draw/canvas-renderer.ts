import { createPaint } from "./paint.ts";
import type { Picture, Renderer } from "./picture.ts";
import { isDrawnSmaller } from "./placement.ts";

/** Draws with the 2D canvas: slower, with the same pixels. */
export function createCanvasRenderer(canvas: HTMLCanvasElement): Renderer {
  const context = canvas.getContext("2d", { alpha: false });
  const sheet = document.createElement("canvas");
  // Without opacity the browser copies pixels and mixes none; in the processor's memory nothing is sent to the graphics twice.
  const sheetContext = sheet.getContext("2d", { alpha: false, willReadFrequently: true });
  const paint = createPaint();
  let image: ImageData | undefined;
  let painted: Picture | undefined;

  const clear = () => {
    context?.setTransform(1, 0, 0, 1, 0, 0);
    context?.clearRect(0, 0, canvas.width, canvas.height);
  };

  function fillSheet(picture: Picture): void {
    const { rows, columns } = picture.frame;
    if (image?.width !== columns || image.height !== rows) {
      image = new ImageData(columns, rows);
      sheet.width = columns;
      sheet.height = rows;
    }
    paint(picture, new Uint32Array(image.data.buffer));
    sheetContext?.putImageData(image, 0, 0);
    painted = picture;
  }

  return {
    draw(picture, placement) {
      const { frame, table, isInverted } = picture;
      const isSame = painted?.frame === frame && painted.table === table && painted.isInverted === isInverted;
      if (!isSame) fillSheet(picture);
      clear();
      if (!context) return;
      const { a, b, c, d, e, f } = placement;
      context.imageSmoothingEnabled = true;
      // As WebGL does: between two pixels where the picture is enlarged, from smaller copies where it is reduced.
      context.imageSmoothingQuality = isDrawnSmaller(placement) ? "medium" : "low";
      context.setTransform(a, b, c, d, e, f);
      context.drawImage(sheet, 0, 0);
    },
    clear,
    dispose() {
      sheet.width = 0;
      image = undefined;
      painted = undefined;
    },
  };
}
