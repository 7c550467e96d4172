import { createZstdDecompress } from "node:zlib";
import { inflateSection } from "./inflate-section.ts";
import { ManifestError } from "./manifest.errors.ts";
import { inPieces, type Pieces, piecesOf, type StreamedBody, through } from "./pieces.ts";

/** The DICOM JSON of a series as it is stored: one zstd frame. */
export interface CompressedMetadata {
  /** The size as JSON. */
  inflatedBytes: number;
  open(): Promise<Uint8Array | StreamedBody>;
}

const PIECE_BYTES = 256 * 1024;

/**
 * Opens the DICOM JSON of a series, to be read piece by piece. What a piece holds at once is inflated on the event loop, in a tenth of
 * the time that it takes to set up a stream; more is inflated off it.
 * @throws {ManifestError} while it is read, if it does not inflate or, read at once, is not as long as it should be
 */
export async function openMetadataJson({ inflatedBytes, open }: CompressedMetadata): Promise<Pieces> {
  const section = await open();
  if (section instanceof Uint8Array) return metadataJson(section, inflatedBytes);
  return inflatedPieces(piecesOf(section));
}

/** As {@link openMetadataJson}, from a section in memory. */
export function metadataJson(section: Uint8Array, inflatedBytes: number): AsyncGenerator<Uint8Array> {
  return inflatedBytes <= PIECE_BYTES
    ? inflatedAtOnce(section, inflatedBytes)
    : inflatedPieces(inPieces(section));
}

async function* inflatedAtOnce(section: Uint8Array, inflatedBytes: number): AsyncGenerator<Uint8Array> {
  yield inflateSection(section, inflatedBytes);
}

async function* inflatedPieces(section: Pieces): AsyncGenerator<Uint8Array> {
  try {
    yield* through(section, createZstdDecompress({ chunkSize: PIECE_BYTES }));
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
    throw code.startsWith("ZSTD_") ? new ManifestError("metadata do not inflate", { cause }) : cause;
  }
}
