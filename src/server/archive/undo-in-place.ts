import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  renameSync,
  rmSync,
} from "node:fs";
import { dirname } from "node:path";
import { setImmediate } from "node:timers/promises";
import { readFully, writeFully } from "./file-window.ts";

/** Bytes of a file that will be overwritten. */
export interface Region {
  offset: number;
  length: number;
}

const HEAD_BYTES = 16;
const MAX_COPY_BYTES = 1024 * 1024;
const REGIONS_PER_TURN = 256;

/**
 * Saves regions of the open file, and its size, durably in the new file `undoPath`, so that {@link undoInPlace} can bring them back.
 * An older file there is the right one: the regions were overwritten since.
 */
export async function saveUndo(fd: number, regions: readonly Region[], undoPath: string): Promise<void> {
  if (existsSync(undoPath)) return;
  const temporary = `${undoPath}.part`;
  const to = openSync(temporary, "w", 0o600);
  try {
    let written = writeHead(to, 0, fstatSync(fd).size, regions.length);
    const chunk = new Uint8Array(MAX_COPY_BYTES);
    for (const [index, { offset, length }] of regions.entries()) {
      if (index % REGIONS_PER_TURN === 0) await setImmediate();
      written += writeHead(to, written, offset, length);
      for (let done = 0; done < length; ) {
        const wanted = Math.min(chunk.length, length - done);
        if (readFully(fd, chunk, offset + done, wanted) !== wanted)
          throw new RangeError("the file is too short");
        writeFully(to, chunk.subarray(0, wanted), written);
        written += wanted;
        done += wanted;
        if (wanted === chunk.length) await setImmediate();
      }
    }
    fsyncSync(to);
  } finally {
    closeSync(to);
  }
  renameSync(temporary, undoPath);
  syncPath(dirname(undoPath));
}

/** Brings back what {@link saveUndo} saved, if it did, and removes that. May be killed and run again. */
export async function undoInPlace(path: string, undoPath: string): Promise<void> {
  if (!existsSync(undoPath)) return;
  const from = openSync(undoPath, "r");
  try {
    const to = openSync(path, "r+");
    try {
      await bringBack(from, to);
    } finally {
      closeSync(to);
    }
  } finally {
    closeSync(from);
  }
  rmSync(undoPath);
}

async function bringBack(from: number, to: number): Promise<void> {
  const [sizeBytes, count] = readHead(from, 0);
  const chunk = new Uint8Array(MAX_COPY_BYTES);
  let read = HEAD_BYTES;
  for (let region = 0; region < count; region++) {
    if (region % REGIONS_PER_TURN === 0) await setImmediate();
    const [offset, length] = readHead(from, read);
    read += HEAD_BYTES;
    for (let done = 0; done < length; ) {
      const wanted = Math.min(chunk.length, length - done);
      if (readFully(from, chunk, read, wanted) !== wanted) throw new RangeError("the saved bytes end early");
      writeFully(to, chunk.subarray(0, wanted), offset + done);
      read += wanted;
      done += wanted;
      if (wanted === chunk.length) await setImmediate();
    }
  }
  ftruncateSync(to, sizeBytes);
  fsyncSync(to);
}

/** Two numbers, as 64 bits each. */
function writeHead(fd: number, at: number, first: number, second: number): number {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeBigUInt64LE(BigInt(first), 0);
  head.writeBigUInt64LE(BigInt(second), 8);
  writeFully(fd, head, at);
  return HEAD_BYTES;
}

function readHead(fd: number, at: number): [number, number] {
  const head = Buffer.alloc(HEAD_BYTES);
  if (readFully(fd, head, at, HEAD_BYTES) !== HEAD_BYTES) throw new RangeError("the saved bytes end early");
  return [Number(head.readBigUInt64LE(0)), Number(head.readBigUInt64LE(8))];
}

function syncPath(path: string): void {
  const fd = openSync(path, "r");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
