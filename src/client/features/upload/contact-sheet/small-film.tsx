import { useEffect, useRef } from "react";
import { FILM_SIDE } from "./draw-film.ts";

/** A picture that was drawn in this browser, of greys row by row. */
export function SmallFilm({ greys }: { greys: Uint8Array }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const context = canvas.current?.getContext("2d");
    if (!context) return;
    const picture = context.createImageData(FILM_SIDE, FILM_SIDE);
    for (const [at, grey] of greys.entries()) picture.data.set([grey, grey, grey, 255], 4 * at);
    context.putImageData(picture, 0, 0);
  }, [greys]);
  return <canvas ref={canvas} width={FILM_SIDE} height={FILM_SIDE} />;
}
