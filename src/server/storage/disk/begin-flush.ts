import { FFIType } from "bun:ffi";
import { findInLibc } from "./libc.ts";

/** Of sync_file_range(2): begin to write what is dirty, and wait for nothing. */
const SYNC_FILE_RANGE_WRITE = 2;
/** A disk that keeps the caller waiting this long has a full queue: hurrying it any further wins nothing. */
const PATIENCE_MS = 5;

type SyncRange = (fd: number, offset: number, length: number, flags: number) => number;

let syncRange: SyncRange | undefined;
let isLoaded = false;

/**
 * Has the disk begin with bytes of an open file that are written and not flushed, so that a later flush has little left to do. It
 * promises nothing: only a sync makes them durable. Returns `false` if the disk can't be hurried.
 */
export function beginFlush(fd: number, offset: number, length: number): boolean {
  if (!isLoaded) {
    const { i32, i64_fast, u32 } = FFIType;
    syncRange = findInLibc("sync_file_range", { args: [i32, i64_fast, i64_fast, u32], returns: i32 });
    isLoaded = true;
  }
  if (!syncRange) return false;
  const startedAt = performance.now();
  // The sync tells of failures.
  syncRange(fd, offset, length, SYNC_FILE_RANGE_WRITE);
  return performance.now() - startedAt < PATIENCE_MS;
}
