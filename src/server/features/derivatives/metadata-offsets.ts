import { TagHex } from "../../../shared/dicom/tags.ts";
import type { Pieces } from "../../archive/pieces.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const KEY = Buffer.from(TagHex.AvailableTransferSyntaxUID);
/** An instance in the array, an element in it, and the array of its values. */
const INSTANCE_DEPTH = 2;
const VALUES_DEPTH = 4;

/**
 * Finds the end of the values of AvailableTransferSyntaxUID in each instance of a series' DICOM JSON: there another value can be
 * inserted. `undefined` for an instance without values.
 */
export async function findSyntaxEnds(json: Pieces, instanceCount: number): Promise<(number | undefined)[]> {
  const ends: (number | undefined)[] = [];
  const scanner = new Scanner();
  for await (const piece of json) scanner.scan(piece, ends);
  ends.length = instanceCount;
  return ends;
}

/** Follows JSON, however it is cut into pieces. The JSON is our own, so it is not checked. */
class Scanner {
  #offset = 0;
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  /** How many bytes of the key the present string has, from its first byte on; negative once it differs. */
  #matched = 0;
  #isInElement = false;
  #end: number | undefined;

  scan(piece: Uint8Array, ends: (number | undefined)[]): void {
    for (let at = 0; at < piece.length; at++) {
      const byte = piece[at] ?? 0;
      if (this.#isInString) this.#inString(byte);
      else this.#outside(byte, this.#offset + at, ends);
    }
    this.#offset += piece.length;
  }

  #inString(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) {
      this.#isInString = false;
      if (this.#depth === INSTANCE_DEPTH) this.#isInElement = this.#matched === KEY.length;
      return;
    }
    this.#matched = this.#matched >= 0 && KEY[this.#matched] === byte ? this.#matched + 1 : -1;
  }

  #outside(byte: number, offset: number, ends: (number | undefined)[]): void {
    if (byte === QUOTE) {
      this.#isInString = true;
      this.#matched = 0;
    } else if (byte === 0x7b || byte === 0x5b) {
      this.#depth++;
    } else if (byte === 0x7d || byte === 0x5d) {
      if (byte === 0x5d && this.#isInElement && this.#depth === VALUES_DEPTH) this.#end = offset;
      this.#depth--;
      if (this.#depth === INSTANCE_DEPTH) this.#isInElement = false;
      if (this.#depth === INSTANCE_DEPTH - 1 && byte === 0x7d) {
        ends.push(this.#end);
        this.#end = undefined;
      }
    }
  }
}
