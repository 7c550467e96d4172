import { InstanceDamaged, isInflatedInPieces } from "../../../archive/instance-reader.ts";
import type { ManifestInstance } from "../../../archive/manifest.ts";
import { giveUp, piecesOf } from "../../../archive/pieces.ts";
import type { ByteRange } from "../../../storage/object-store.ts";
import type { Bytes, InstanceBytes } from "../dicomweb.catalogue.ts";
import { readFile } from "./read-file.ts";

/** Short values that are near each other are read together, so that thousands of them don't take thousands of reads. */
const READ_AT_ONCE_BYTES = 2 * 1024 * 1024;
/** A longer value is read alone. */
const MAX_SHORT_BYTES = 256 * 1024;

/** A part of the file that is open. */
interface Window {
  body: Bytes;
  isBegun: boolean;
  pieces: AsyncGenerator<Uint8Array>;
  held: Uint8Array;
  /** The place of the next byte. */
  at: number;
  end: number;
  deflated: boolean;
}

/** A range of the file; of one with a deflated data set, as it is inflated. */
export interface FileRange extends ByteRange {
  deflated: boolean;
}

/** Reads ranges of one instance that follow each other. What has to be inflated is inflated once for all of them. */
export class ForwardReader implements AsyncDisposable {
  readonly #reader: InstanceBytes;
  readonly #instance: ManifestInstance;
  readonly #end: number;
  #window: Window | undefined;

  /** @param end where the last of the ranges ends */
  constructor(reader: InstanceBytes, instance: ManifestInstance, end: number) {
    this.#reader = reader;
    this.#instance = instance;
    this.#end = end;
  }

  /** Opens the range, so that its first bytes are on their way before they are read. */
  async open(range: FileRange): Promise<void> {
    await this.#windowFor(range);
  }

  /** Its pieces must be read before those of another range. @throws {InstanceDamaged} if the file ends before */
  async *read(range: FileRange): AsyncGenerator<Uint8Array> {
    const window = await this.#windowFor(range);
    const end = range.offset + range.length;
    while (window.at < end) {
      if (window.held.length === 0) {
        window.isBegun = true;
        const { value, done } = await window.pieces.next();
        if (done) throw new InstanceDamaged("a value ends early");
        window.held = value;
      }
      const isBefore = window.at < range.offset;
      const piece = window.held.subarray(0, (isBefore ? range.offset : end) - window.at);
      window.held = window.held.subarray(piece.length);
      window.at += piece.length;
      if (!isBefore && piece.length > 0) yield piece;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close();
  }

  async #close(): Promise<void> {
    const window = this.#window;
    // Ending what never began would leave the body open.
    if (window?.isBegun) await window.pieces.return(undefined);
    else if (window) await giveUp(window.body);
  }

  async #windowFor({ offset, length, deflated }: FileRange): Promise<Window> {
    const open = this.#window;
    if (open?.deflated === deflated && open.at <= offset && offset + length <= open.end) return open;
    await this.#close();
    const rest = Math.max(length, this.#end - offset);
    const isLong = length > MAX_SHORT_BYTES;
    const isInflated = deflated || isInflatedInPieces(this.#instance);
    const read = isInflated ? rest : isLong ? length : Math.min(rest, READ_AT_ONCE_BYTES);
    const body = await readFile(this.#reader, this.#instance, { deflated }, { offset, length: read });
    const place = { held: new Uint8Array(0), at: offset, end: offset + read, deflated };
    this.#window = { body, isBegun: false, pieces: piecesOf(body), ...place };
    return this.#window;
  }
}
