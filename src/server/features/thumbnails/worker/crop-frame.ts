import type { DecodedFrame } from "../../../../shared/pixels/decoded-frame.ts";
import { NoPicture } from "../../../../shared/pixels/no-picture.ts";
import type { Region } from "./picture-messages.ts";

/**
 * The part of a frame that a region shows, mirrored as it says. What lies beyond the frame is left out.
 * @throws {NoPicture} if all of it does
 */
export function cropFrame(frame: DecodedFrame, region: Region): DecodedFrame {
  const { left, top, width, height } = region.isFraction ? inPixels(frame, region) : region;
  const across = partOf(frame.columns, left, width);
  const down = partOf(frame.rows, top, height);
  const { samplesPerPixel } = frame;
  const samples = frame.samples.slice(0, across.length * down.length * samplesPerPixel);
  let at = 0;
  for (const row of down)
    for (const column of across) {
      const from = (row * frame.columns + column) * samplesPerPixel;
      for (let c = 0; c < samplesPerPixel; c++) samples[at++] = frame.samples[from + c] ?? 0;
    }
  return { ...frame, rows: down.length, columns: across.length, samples };
}

function inPixels({ columns, rows }: DecodedFrame, { left, top, width = 1, height = 1 }: Region): Region {
  return { left: left * columns, top: top * rows, width: width * columns, height: height * rows };
}

/** The indexes of `size` rows or columns that a side of a region shows, in their order. */
function partOf(size: number, start: number, length: number | undefined): number[] {
  const from = Math.floor(start);
  const to = length === undefined ? size : Math.min(size, Math.ceil(start + Math.abs(length)));
  if (from >= to) throw new NoPicture("undecodable", "a region beyond the image");
  const indexes = Array.from({ length: to - from }, (_, index) => from + index);
  return length !== undefined && length < 0 ? indexes.reverse() : indexes;
}
