import { drawnTable } from "../../../shared/pixels/drawn-table.ts";
import { readPixelModule } from "../../../shared/pixels/pixel-module.ts";
import type { Picture } from "../draw/picture.ts";
import { reduceFrame } from "../draw/reduce-frame.ts";
import type { Decode } from "./frame-loader.ts";
import type { SeriesRecord, StackSource } from "./source.ts";
import { buildStacks, mainStack, type Slice, type Stack } from "./stacks.ts";
import { autoVoi } from "./windows.ts";

/** Makes small pictures of series and of their stacks, where the source has only whole images. */
export interface SeriesPictures {
  /** The middle image, no side longer than {@link PICTURE_SIDE_PX}; undefined if none can be drawn. */
  pictureOf(series: SeriesRecord): Promise<Picture | undefined>;
  /** The same of one of its stacks. */
  pictureOfStack(stack: Pick<Stack, "key" | "slices">): Promise<Picture | undefined>;
  close(): void;
}

/** Twice the width of a series in the column of a desktop. */
export const PICTURE_SIDE_PX = 320;
/** More series and stacks than any exam has. */
const MAX_PICTURES = 200;

export interface SeriesPicturesOptions {
  source: Pick<StackSource, "readMetadata" | "readFrame">;
  decode: Decode;
  /** Asked for before each picture: the image that the person waits for comes first. */
  whenFree(): Promise<void>;
}

/** Makes the pictures one after the other, each once. */
export function createSeriesPictures({ source, decode, whenFree }: SeriesPicturesOptions): SeriesPictures {
  const made = new Map<string, Promise<Picture | undefined>>();
  const closed = new AbortController();
  const { signal } = closed;
  let last: Promise<unknown> = Promise.resolve();

  async function draw(slices: readonly Slice[]): Promise<Picture | undefined> {
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

  /** @param key unique among series and stacks */
  function once(key: string, find: () => Promise<readonly Slice[]>): Promise<Picture | undefined> {
    const known = made.get(key);
    if (known) return known;
    if (made.size >= MAX_PICTURES) return Promise.resolve(undefined);
    const picture = last
      .then(whenFree)
      .then(async () => (signal.aborted ? undefined : await draw(await find())))
      .catch(() => undefined);
    last = picture;
    made.set(key, picture);
    return picture;
  }

  return {
    pictureOf: (series) =>
      once(series.seriesInstanceUID, async () => {
        const stacks = buildStacks(series, await source.readMetadata(series, signal));
        return mainStack(stacks)?.slices ?? [];
      }),
    pictureOfStack: ({ key, slices }) => once(key, async () => slices),
    close() {
      closed.abort();
      made.clear();
    },
  };
}
