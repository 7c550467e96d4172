import { MIB } from "../../../shared/units.ts";
import { ENTRY_OVERHEAD_BYTES, type SpoolZip } from "./spool-zip.ts";

/** Something that becomes one entry of an upload. */
export interface Piece {
  /** As the report names it. */
  path: string;
  sizeBytes: number;
  /** Adds it to the upload's ZIP; returns the entry's name. */
  add(zip: SpoolZip): Promise<string>;
}

/** What one upload holds at most. */
interface UploadBounds {
  maxBytes: number;
  maxPieces: number;
}

/** The records that end a ZIP. */
const END_BYTES = 256;
/** A study up to this becomes one volume, a larger one several. */
const STUDY: UploadBounds = { maxBytes: 1024 * MIB, maxPieces: 20_000 };
/** Small studies share uploads up to this. */
const SHARED: UploadBounds = { maxBytes: 128 * MIB, maxPieces: 2_000 };

/**
 * Packs studies into uploads of whole studies; only a study that exceeds the bounds of an upload is divided. A piece that exceeds
 * them alone is an upload of its own.
 */
export function packStudies(
  studies: Iterable<readonly Piece[]>,
  maxUploadBytes: number,
): (readonly Piece[])[][] {
  const uploads: (readonly Piece[])[][] = [];
  let open: (readonly Piece[])[] = [];
  let tally = emptyTally();
  for (const pieces of studies) {
    const added = tallyOf(pieces);
    if (!fits(added, STUDY, maxUploadBytes)) {
      uploads.push(...dividePieces(pieces, maxUploadBytes).map((part) => [part]));
      continue;
    }
    const sum = plus(tally, added);
    const isShared = open.length > 0 && fits(sum, SHARED, maxUploadBytes);
    if (!isShared) {
      open = [];
      uploads.push(open);
    }
    open.push(pieces);
    tally = isShared ? sum : added;
  }
  return uploads;
}

/** Divides pieces into runs that each fit one upload. */
export function dividePieces(pieces: Iterable<Piece>, maxUploadBytes: number): Piece[][] {
  const parts: Piece[][] = [];
  let tally = emptyTally();
  for (const piece of pieces) {
    const added = tallyOf([piece]);
    const sum = plus(tally, added);
    const part = fits(sum, STUDY, maxUploadBytes) ? parts.at(-1) : undefined;
    if (part) part.push(piece);
    else parts.push([piece]);
    tally = part ? sum : added;
  }
  return parts;
}

/** Bytes of a ZIP that holds these pieces as they are, at most. */
export function zipBytesOf(pieces: readonly Piece[]): number {
  return tallyOf(pieces).bytes + END_BYTES;
}

interface Tally {
  bytes: number;
  pieces: number;
}

const emptyTally = (): Tally => ({ bytes: 0, pieces: 0 });

function tallyOf(pieces: readonly Piece[]): Tally {
  const bytes = pieces.reduce((sum, { sizeBytes }) => sum + sizeBytes + ENTRY_OVERHEAD_BYTES, 0);
  return { bytes, pieces: pieces.length };
}

function plus(one: Tally, other: Tally): Tally {
  return { bytes: one.bytes + other.bytes, pieces: one.pieces + other.pieces };
}

function fits(tally: Tally, { maxBytes, maxPieces }: UploadBounds, maxUploadBytes: number): boolean {
  return tally.pieces <= maxPieces && tally.bytes + END_BYTES <= Math.min(maxBytes, maxUploadBytes);
}
