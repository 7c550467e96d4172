import { dlopen, type FFIFunction } from "bun:ffi";

/** The errors where there is no such library, or no such function in it. */
const MISSING_CODES = new Set(["ERR_DLOPEN_FAILED", "ERR_INVALID_ARG_TYPE"]);

/** A function of the C library; `undefined` on systems other than Linux with glibc. `Call` is how it looks from here. */
export function findInLibc<Call>(name: string, definition: FFIFunction): Call | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    return dlopen("libc.so.6", { [name]: definition }).symbols[name] as Call;
  } catch (error) {
    if (error instanceof Error && "code" in error && MISSING_CODES.has(String(error.code))) return undefined;
    throw error;
  }
}
