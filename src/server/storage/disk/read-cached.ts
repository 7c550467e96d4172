import { FFIType, ptr } from "bun:ffi";
import { findInLibc } from "./libc.ts";

/** Of preadv2(2): rather than wait for the medium, read less. */
const RWF_NOWAIT = 8;

type ReadNow = (fd: number, vector: BigUint64Array, count: number, offset: number, flags: number) => number;

let readNow: ReadNow | undefined;
let isLoaded = false;
/** The address and length of the buffer that a call fills (struct iovec); calls do not overlap. */
const vector = new BigUint64Array(2);

/**
 * Fills `bytes` from `offset` of the file if the page cache holds all of it, and returns whether it did. It never waits for the
 * medium, so it runs on the event loop: handing half a megabyte to another thread takes longer than reading it.
 */
export function readCached(fd: number, bytes: Uint8Array, offset: number): boolean {
  if (!isLoaded) {
    readNow = loadReadNow();
    isLoaded = true;
  }
  if (!readNow || bytes.length === 0) return false;
  vector[0] = BigInt(ptr(bytes));
  vector[1] = BigInt(bytes.length);
  return Number(readNow(fd, vector, 1, offset, RWF_NOWAIT)) === bytes.length;
}

/** Undefined on systems where the thread pool reads everything. */
function loadReadNow(): ReadNow | undefined {
  const { i32, ptr: pointer, i64_fast } = FFIType;
  return findInLibc("preadv2", { args: [i32, pointer, i32, i64_fast, i32], returns: i64_fast });
}
