import { drawnTable } from "../../../shared/pixels/drawn-table.ts";
import { readPixelModule } from "../../../shared/pixels/pixel-module.ts";
import type { Picture } from "../draw/picture.ts";
import { reduceFrame } from "../draw/reduce-frame.ts";
import type { Decode } from "./frame-loader.ts";
import type { SeriesRecord, StackSource } from "./source.ts";
import { buildStacks, mainStack } from "./stacks.ts";
import { autoVoi } from "./windows.ts";

/** Makes small pictures of series, where the source has only whole images. */
export interface SeriesPictures {
  /** The middle image, no side longer than {@link PICTURE_SIDE_PX}; undefined if none can be drawn. */
  pictureOf(series: SeriesRecord): Promise<Picture | undefined>;
  close(): void;
}

/** Twice the width of a series in the column of a desktop. */
export const PICTURE_SIDE_PX = 320;
/** More series than any exam has. */
const MAX_PICTURES = 200;

export interface SeriesPicturesOptions {
  source: Pick<StackSource, "readMetadata" | "readFrame">;
  decode: Decode;
  /** Asked for with the first picture: the image that the person waits for comes before. */
  whenFree(): Promise<void>;
}

/** Makes the pictures one after the other, each once. */
export function createSeriesPictures({ source, decode, whenFree }: SeriesPicturesOptions): SeriesPictures {
  const made = new Map<string, Promise<Picture | undefined>>();
  const closed = new AbortController();
  const { signal } = closed;
  let last: Promise<unknown> | undefined;

  async function make(series: SeriesRecord): Promise<Picture | undefined> {
    if (signal.aborted) return undefined;
    const slices = mainStack(buildStacks(series, await source.readMetadata(series, signal)))?.slices ?? [];
    const middle = slices[Math.floor((slices.length - 1) / 2)];
    if (!middle) return undefined;
    const pixels = readPixelModule(middle.metadata, middle.frameIndex);
    const encoded = await source.readFrame(middle, { isUrgent: false, signal });
    const frame = await decode(encoded, pixels, { signal, takeMemory: () => undefined });
    const isGrey = frame.kind === "grey";
    const table = isGrey
      ? drawnTable(frame, pixels, autoVoi(frame, pixels), pixels.isInverted)
      : new Uint8Array();
    return { frame: reduceFrame(frame, PICTURE_SIDE_PX), table, isInverted: false };
  }

  return {
    pictureOf(series) {
      const known = made.get(series.seriesInstanceUID);
      if (known) return known;
      if (made.size >= MAX_PICTURES) return Promise.resolve(undefined);
      last ??= whenFree();
      const picture = last.then(() => make(series)).catch(() => undefined);
      last = picture;
      made.set(series.seriesInstanceUID, picture);
      return picture;
    },
    close() {
      closed.abort();
      made.clear();
    },
  };
}
