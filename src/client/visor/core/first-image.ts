import { textOf } from "../../../shared/dicom/json-values.ts";
import { TagHex } from "../../../shared/dicom/tags.ts";
import { FRAME_TYPES, readDicomJson, readFrameOf } from "./dicomweb-source.ts";
import { createLentMemory } from "./lent-memory.ts";
import type { EncodedFrame, FirstImage, FrameAddress, FrameReading, StackSource } from "./source.ts";

/** Asks a server for a part of the image that a study is begun with; any failure may be thrown. */
export type AskFirstImage = (
  part: "metadata" | "frame",
  options: { accept: string; signal: AbortSignal },
) => Promise<Response>;

/** A source that asks for its first image while it is still being opened, hence without knowing which one it is. */
export interface BegunSource extends StackSource {
  /** Asks for the first image now, and says whether its frame came. */
  begin(): Promise<boolean>;
}

/** An image on its way. */
interface Arriving {
  arrived: Promise<boolean>;
  image: Promise<FirstImage | undefined>;
  /** Its frame, for the address that it has; undefined for others. */
  take(address: FrameAddress, options: FrameReading): Promise<EncodedFrame> | undefined;
  giveUp(): void;
}

/** Adds the first image to a source; where it does not come, the source is read as without it. */
export function withFirstImage(source: StackSource, ask: AskFirstImage): BegunSource {
  let arriving: Arriving | undefined;
  const begin = () => {
    arriving ??= askFor(ask);
    return arriving;
  };
  return {
    ...source,
    begin: () => begin().arrived,
    async firstImage(studyInstanceUID, signal) {
      const own = begin();
      const leave = () => {
        own.giveUp();
        if (arriving === own) arriving = undefined;
      };
      signal.addEventListener("abort", leave, { once: true });
      try {
        // Nothing is shown before the source is open, which records that it was.
        await source.beginWith?.(studyInstanceUID);
        const first = await own.image;
        if (first && textOf(first.metadata[TagHex.StudyInstanceUID]) === studyInstanceUID) return first;
      } catch (error) {
        leave();
        throw error;
      }
      leave();
      return undefined;
    },
    async readFrame(address, options) {
      const taken = arriving?.take(address, options);
      if (!taken) return await source.readFrame(address, options);
      arriving = undefined;
      return await taken.catch((error: unknown) => {
        if (options.signal.aborted) throw error;
        return source.readFrame(address, options);
      });
    },
  };
}

function askFor(ask: AskFirstImage): Arriving {
  const controller = new AbortController();
  const { signal } = controller;
  let prefix: EncodedFrame | undefined;
  let tellPrefix: FrameReading["onPrefix"];
  let named: string | undefined;
  let isWhole = false;

  async function readMetadata() {
    const [metadata] = await readDicomJson(
      await ask("metadata", { accept: "application/dicom+json", signal }),
    );
    return metadata;
  }

  /** Reads the whole frame at once, even if nobody takes it: an unread answer holds its connection. */
  async function readFrame(): Promise<EncodedFrame & { sopInstanceUID: string | undefined }> {
    const response = await ask("frame", { accept: FRAME_TYPES, signal });
    const [, sopInstanceUID] =
      /\/instances\/([0-9.]+)\/frames\/1$/.exec(response.headers.get("Content-Location") ?? "") ?? [];
    if (response.status !== 200) throw new TypeError(`answer ${response.status}`);
    const encoded = await readFrameOf(response, createLentMemory(), (begun) => {
      prefix = { ...begun, bytes: begun.bytes.slice() };
      tellPrefix?.(prefix);
    });
    isWhole = true;
    return { ...encoded, sopInstanceUID };
  }

  const frame = readFrame();
  const arrived = frame.then(
    () => true,
    () => false,
  );
  const image = readMetadata()
    .catch(() => undefined)
    .then((metadata) => {
      named = metadata && textOf(metadata[TagHex.SOPInstanceUID]);
      return metadata && { metadata, arrived };
    });
  return {
    arrived,
    image,
    take({ sopInstanceUID, frameIndex }, { signal: taken, onPrefix }) {
      if (named === undefined || sopInstanceUID !== named || frameIndex !== 0) return undefined;
      taken.addEventListener("abort", () => controller.abort(), { once: true });
      tellPrefix = onPrefix;
      if (prefix && !isWhole) onPrefix?.(prefix);
      return frame.then(({ sopInstanceUID: given, ...encoded }) => {
        if (given !== named) throw new TypeError("another image");
        return encoded;
      });
    },
    giveUp: () => controller.abort(),
  };
}
