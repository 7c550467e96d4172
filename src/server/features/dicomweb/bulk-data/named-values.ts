import type { DicomJson } from "../../../../shared/dicom/reading/instance.ts";
import type { ManifestInstance } from "../../../archive/manifest.ts";
import { WorkTurn } from "../../../runtime/work-turn.ts";
import type { ByteRange } from "../../../storage/object-store.ts";
import type { StoredMetadata } from "../dicomweb.catalogue.ts";
import { isBigEndianNative, pixelWordsOf } from "../frames/little-endian-frames.ts";
import { URI_KEY } from "../metadata/metadata.ts";
import { MetadataCutter } from "../metadata/metadata-cutter.ts";
import type { WordBytes } from "./swap-words.ts";

/** The most values that are known at once, and the most characters of their paths. */
const KNOWN_AT_ONCE = { maxValues: 16_384, maxCharacters: 1024 * 1024 };
/** JSON is read in pieces of this size, so that a long one is never in memory as a whole. */
const PIECE_BYTES = 512 * 1024;
const URI = /^instances\/([0-9.]+)\/bulkdata\/([0-9A-F.]+)$/;

/** Values of one instance that its metadata name by a `BulkDataURI`. */
export interface NamedValues {
  instance: ManifestInstance;
  tagPaths: string[];
  /** Of native big-endian pixel data, if the metadata say it. */
  pixelWords?: 1 | WordBytes | undefined;
}

/** Metadata of a series, or of one of its instances, with what they are about. */
export interface NamingMetadata {
  stored: StoredMetadata;
  /** Where the JSON of each instance is, in order. */
  ranges: readonly ByteRange[];
  findInstance(sopInstanceUID: string): ManifestInstance | undefined;
}

interface Naming extends NamingMetadata {
  isWanted(tagPath: string): boolean;
}

/** How far the metadata were read: the instance, and how many of its values are known already. */
interface Progress {
  index: number;
  passed: number;
}

/**
 * Reads which values the metadata of a series name, in their order, as far as they are asked for: some thousands at once, and nothing is
 * open while these are sent. An instance with more values comes several times.
 */
export async function* namedValues(naming: Naming, limits = KNOWN_AT_ONCE): AsyncGenerator<NamedValues[]> {
  for (let progress: Progress | undefined = { index: 0, passed: 0 }; progress; ) {
    const group: { values: NamedValues[]; next: Progress | undefined } = await readGroup(
      naming,
      progress,
      limits,
    );
    yield group.values;
    progress = group.next;
  }
}

async function readGroup(
  { stored, ranges, findInstance, isWanted }: Naming,
  from: Progress,
  limits: typeof KNOWN_AT_ONCE,
) {
  const values: NamedValues[] = [];
  let known = 0;
  let characters = 0;
  await using cutter = new MetadataCutter(stored);
  const turn = new WorkTurn();
  for (let index = from.index; index < ranges.length; index++) {
    let passed = index === from.index ? from.passed : 0;
    let left = passed;
    let last: NamedValues | undefined;
    for await (const { uris, whole } of urisIn(cutter, ranges[index])) {
      for (const uri of uris) {
        const [, sopInstanceUID = "", tagPath = ""] = URI.exec(uri) ?? [];
        if (!isWanted(tagPath) || left-- > 0) continue;
        const instance = last?.instance ?? findInstance(sopInstanceUID);
        const isFull = known >= limits.maxValues || characters >= limits.maxCharacters;
        if (instance && isFull) return { values, next: { index, passed } };
        passed++;
        // It came after its series was looked up.
        if (!instance) continue;
        if (!last) {
          last = { instance, tagPaths: [], pixelWords: wordsOf(instance, whole) };
          values.push(last);
        }
        last.tagPaths.push(tagPath);
        known++;
        characters += tagPath.length;
      }
      if (turn.isOver()) await turn.next();
    }
  }
  return { values, next: undefined };
}

interface FoundUris {
  uris: string[];
  /** The JSON of the instance, unless it is long. */
  whole: Uint8Array | undefined;
}

async function* urisIn(
  cutter: MetadataCutter,
  { offset, length }: ByteRange = { offset: 0, length: 0 },
): AsyncGenerator<FoundUris> {
  let rest = Buffer.alloc(0);
  for (let at = 0; at < length; at += PIECE_BYTES) {
    const piece = await cutter.cut({ offset: offset + at, length: Math.min(PIECE_BYTES, length - at) });
    if (!piece) return;
    const bytes = Buffer.concat([rest, piece]);
    const uris: string[] = [];
    let done = 0;
    for (;;) {
      const key = bytes.indexOf(URI_KEY, done);
      const end = key < 0 ? -1 : bytes.indexOf('"', key + URI_KEY.length);
      if (end < 0) {
        // The key or its address may go on in the next piece.
        rest = bytes.subarray(key < 0 ? Math.max(done, bytes.length - URI_KEY.length) : key);
        break;
      }
      uris.push(bytes.toString("latin1", key + URI_KEY.length, end));
      done = end;
    }
    yield { uris, whole: length <= PIECE_BYTES ? piece : undefined };
  }
}

function wordsOf(instance: ManifestInstance, json: Uint8Array | undefined) {
  if (!json || !isBigEndianNative(instance)) return undefined;
  return pixelWordsOf(JSON.parse(Buffer.from(json).toString("utf8")) as DicomJson);
}
