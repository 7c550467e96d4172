import { type ReactNode, useEffect, useState } from "react";
import { useSeen } from "../../ui/hooks/use-seen.ts";
import { savesData } from "../../ui/when-idle.ts";
import { createSeriesPictures, type SeriesPictures } from "../core/series-pictures.ts";
import type { Stack } from "../core/stacks.ts";
import type { Picture } from "../draw/picture.ts";
import { PictureCanvas } from "./picture-canvas.tsx";
import type { StackDrawing } from "./visor-core.ts";

interface StackPictureProps {
  stack: Stack;
  drawing: StackDrawing;
  /** What stands for all stacks of the series. */
  children: ReactNode;
}

/** The small picture of one stack of several that a series has, drawn here once it is seen; until then, and for who saves data, that of the series. */
export function StackPicture({ stack, drawing, children }: StackPictureProps) {
  const [place, isSeen] = useSeen<HTMLSpanElement>();
  const [picture, setPicture] = useState<Picture>();
  useEffect(() => {
    if (!isSeen || savesData()) return;
    let isGone = false;
    void picturesOf(drawing)
      .pictureOfStack(stack)
      .then((made) => !isGone && setPicture(made));
    return () => {
      isGone = true;
    };
  }, [isSeen, drawing, stack]);
  if (picture) return <PictureCanvas picture={picture} />;
  return (
    <span ref={place} className="visor-series-whole">
      {children}
    </span>
  );
}

const made = new WeakMap<StackDrawing, SeriesPictures>();

function picturesOf(drawing: StackDrawing): SeriesPictures {
  const known = made.get(drawing);
  if (known) return known;
  const pictures = createSeriesPictures(drawing);
  drawing.signal.addEventListener("abort", () => pictures.close());
  made.set(drawing, pictures);
  return pictures;
}
