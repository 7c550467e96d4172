import { closeSync, fstatSync, openSync, readSync, writeSync } from "node:fs";
import type { ByteSource } from "../../shared/dicom/reading/instance.ts";
import { newBuffer } from "../runtime/new-buffer.ts";

const WINDOW_BYTES = 4 * 1024 * 1024;

/**
 * Reads `length` bytes at `offset` of an open file into the front of `target`.
 * @returns the number of bytes read; fewer only at the end of the file
 */
export function readFully(fd: number, target: Uint8Array, offset: number, length: number): number {
  let done = 0;
  while (done < length) {
    const bytesRead = readSync(fd, target, done, length - done, offset + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return done;
}

/** Writes all of `bytes` at `offset` of an open file. */
export function writeFully(fd: number, bytes: Uint8Array, offset: number): void {
  for (let done = 0; done < bytes.length; ) {
    done += writeSync(fd, bytes, done, bytes.length - done, offset + done);
  }
}

/** Reads a file through one reused buffer, so that many small reads in a row cost few system calls. What fits is read once. */
export class FileWindow implements ByteSource, Disposable {
  readonly fd: number;
  readonly sizeBytes: number;
  #buffer: Uint8Array;
  #start = 0;
  #end = 0;

  constructor(path: string, windowBytes: number = WINDOW_BYTES) {
    this.fd = openSync(path, "r");
    this.sizeBytes = fstatSync(this.fd).size;
    this.#buffer = newBuffer(Math.min(windowBytes, this.sizeBytes));
  }

  /** The buffer grows to the largest `length` that was asked for, so callers must bound it. */
  read(offset: number, length: number): Uint8Array {
    const end = Math.min(offset + length, this.sizeBytes);
    if (offset >= end) return new Uint8Array(0);
    if (offset < this.#start || end > this.#end) this.#fill(offset, end - offset);
    return this.#buffer.subarray(offset - this.#start, Math.min(end, this.#end) - this.#start);
  }

  #fill(offset: number, length: number): void {
    if (length > this.#buffer.length) this.#buffer = newBuffer(length);
    const isWhole = this.#buffer.length >= this.sizeBytes;
    this.#start = isWhole ? 0 : offset;
    const restBytes = Math.min(this.#buffer.length, this.sizeBytes - this.#start);
    this.#end = this.#start + readFully(this.fd, this.#buffer, this.#start, restBytes);
  }

  [Symbol.dispose](): void {
    closeSync(this.fd);
  }
}
