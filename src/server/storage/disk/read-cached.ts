import { dlopen, FFIType, ptr } from "bun:ffi";

/** Of preadv2(2): rather than wait for the medium, read less. */
const RWF_NOWAIT = 8;

/** The errors where there is no such library, or no such function in it. */
const MISSING_CODES = new Set(["ERR_DLOPEN_FAILED", "ERR_INVALID_ARG_TYPE"]);

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

/** Undefined on systems other than Linux with glibc, where the thread pool reads everything. */
function loadReadNow(): ReadNow | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    const { symbols } = dlopen("libc.so.6", {
      preadv2: {
        args: [FFIType.i32, FFIType.ptr, FFIType.i32, FFIType.i64_fast, FFIType.i32],
        returns: FFIType.i64_fast,
      },
    });
    return symbols.preadv2 as unknown as ReadNow;
  } catch (error) {
    if (error instanceof Error && "code" in error && MISSING_CODES.has(String(error.code))) return undefined;
    throw error;
  }
}
