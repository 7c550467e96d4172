/** Lends memory that answers are read into, and takes it back for later ones. */
export interface LentMemory {
  /** Lends more than `sizeBytes`, by at least one byte: an answer that leaves the last byte unfilled was not longer. */
  lend(sizeBytes: number): ArrayBuffer;
  /** Takes back what nobody reads any more. */
  giveBack(memory: ArrayBuffer): void;
}

/** Frames that are read and decoded at once. */
const MAX_SPARE = 8;
/** Frames differ in length; memory of this grain fits most of a series. */
const GRAIN_BYTES = 64 * 1024;

/**
 * Keeps memory that was given back. If a page takes new memory for each answer, the browser frees it only when it collects the small
 * objects that hold it, and these do not make it hurry: tens of megabytes would wait.
 */
export function createLentMemory(): LentMemory {
  let spare: ArrayBuffer[] = [];
  return {
    lend(sizeBytes) {
      const place = spare.findIndex(({ byteLength }) => byteLength > sizeBytes);
      const [found] = place < 0 ? [] : spare.splice(place, 1);
      return found ?? new ArrayBuffer(GRAIN_BYTES * (Math.floor(sizeBytes / GRAIN_BYTES) + 1));
    },
    giveBack(memory) {
      if (memory.byteLength > 0) spare = [...spare, memory].slice(-MAX_SPARE);
    },
  };
}
