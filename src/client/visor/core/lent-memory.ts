/** Memory that answers are read into, one after the other. */
export interface LentMemory {
  /** Memory of more than this many bytes, the last of which says that no more came. */
  lend(sizeBytes: number): ArrayBuffer;
  /** Takes back what nobody reads any more. */
  giveBack(memory: ArrayBuffer): void;
}

/** Frames that are read and decoded at once. */
const MAX_SPARE = 8;
/** Frames differ in length; memory of this grain fits most of a series. */
const GRAIN_BYTES = 64 * 1024;

/**
 * Keeps memory that was given back. Where a page takes new memory for each answer, the browser frees it when it collects the objects
 * around it, which are too small to make it hurry: tens of megabytes wait.
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
