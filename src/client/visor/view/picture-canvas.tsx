import { useEffect, useRef } from "react";
import { createPaint } from "../draw/paint.ts";
import type { Picture } from "../draw/picture.ts";

/** A small picture, at its own size. */
export function PictureCanvas({ picture }: { picture: Picture }) {
  const { rows, columns } = picture.frame;
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const image = new ImageData(columns, rows);
    createPaint()(picture, new Uint32Array(image.data.buffer));
    canvas.current?.getContext("2d", { alpha: false })?.putImageData(image, 0, 0);
  }, [picture, rows, columns]);
  return <canvas ref={canvas} width={columns} height={rows} />;
}
