import { causesOf } from "../../runtime/causes.ts";
import { type DiskSpace, uploadFloorOf } from "./disk-space.ts";

/** The disk has no room for the next write. */
export class DiskFull extends Error {
  override name = "DiskFull";
}

/** Whether a write failed because the disk, or what the system lets us have of it, is full. */
export function isOutOfSpace(error: unknown): boolean {
  const code = codeOf(error);
  return code === "ENOSPC" || code === "EDQUOT";
}

/** Whether it failed because the disk is mounted read-only, which systems also do after an error of the disk. */
export function isReadOnlyDisk(error: unknown): boolean {
  return codeOf(error) === "EROFS";
}

/** Of what failed, whatever wraps it. */
function codeOf(error: unknown): unknown {
  for (const cause of causesOf(error)) if ("code" in cause) return cause.code;
  return undefined;
}

/** Room on the disk that is reserved for one writer. Disposing it releases what is left. */
export interface Reservation extends Disposable {
  /** Reserves `bytes` more. @throws {DiskFull} and keeps what it had */
  extend(bytes: number): Promise<void>;
  /** Reserves `wantedBytes` more or, where the disk has no room for them, `leastBytes`. @throws {DiskFull} and keeps what it had */
  extendUpTo(wantedBytes: number, leastBytes: number): Promise<void>;
  /** Tells that `bytes` of it were written, so the file system counts them now. */
  spend(bytes: number): void;
  /** Releases the part of the reservation that was not written. */
  settle(): void;
  /** Bytes that may still be written under this reservation. */
  readonly leftBytes: number;
}

/**
 * The free room on the disk that holds DATA_DIR. Reservations add up, so that all writers together fit. A spare is never
 * reserved, because PostgreSQL writes to the same disk.
 */
export interface DiskRoom {
  /** For uploads and copies, which leave room for all other work ({@link uploadFloorOf}). @throws {DiskFull} */
  reserve(bytes: number): Promise<Reservation>;
  /** For a document, which leaves the spare alone. @throws {DiskFull} */
  reserveSmall(bytes: number): Promise<Reservation>;
  /** @throws if the disk takes no bytes: {@link DiskFull} if less than the spare is left */
  check(): Promise<void>;
  /** @throws {DiskFull} if uploads are refused */
  checkUploads(): Promise<void>;
  space(): Promise<DiskSpace>;
}

export interface DiskRoomOptions {
  /** What programs without a reservation may need. */
  spareBytes: number;
  readSpace: () => Promise<DiskSpace>;
  /** Throws if the disk takes no bytes, whatever is free. */
  assertWritable?: () => Promise<void>;
}

export function createDiskRoom({ spareBytes, readSpace, assertWritable }: DiskRoomOptions): DiskRoom {
  let promisedBytes = 0;
  /** All bytes ever taken off the reservations. Bytes written while the system is asked may be missing in its answer. */
  let unreservedBytes = 0;

  const floorOf = (space: DiskSpace) => Math.max(spareBytes, uploadFloorOf(space));
  const spareOf = () => spareBytes;

  async function promise(bytes: number, leaves: (space: DiskSpace) => number): Promise<void> {
    const unreservedBefore = unreservedBytes;
    const space = await readSpace();
    const unseenBytes = unreservedBytes - unreservedBefore;
    const leftBytes = space.freeBytes - promisedBytes - unseenBytes - bytes;
    if (leftBytes < leaves(space)) throw new DiskFull("no room is left");
    promisedBytes += bytes;
  }

  function unreserve(bytes: number): void {
    promisedBytes -= bytes;
    unreservedBytes += bytes;
  }

  async function open(bytes: number, leaves: (space: DiskSpace) => number): Promise<Reservation> {
    await promise(bytes, leaves);
    let leftBytes = bytes;
    let isOpen = true;
    const settle = () => {
      unreserve(leftBytes);
      leftBytes = 0;
    };
    const extend = async (more: number) => {
      await promise(more, leaves);
      // It was disposed meanwhile, so nobody will write it.
      if (isOpen) leftBytes += more;
      else unreserve(more);
    };
    return {
      get leftBytes() {
        return leftBytes;
      },
      extend,
      async extendUpTo(wantedBytes, leastBytes) {
        try {
          await extend(wantedBytes);
        } catch (error) {
          if (!(error instanceof DiskFull) || wantedBytes === leastBytes) throw error;
          await extend(leastBytes);
        }
      },
      spend(written) {
        const spent = Math.min(written, leftBytes);
        unreserve(spent);
        leftBytes -= spent;
      },
      settle,
      [Symbol.dispose]() {
        isOpen = false;
        settle();
      },
    };
  }

  /** A disk that is mounted read-only tells as much free as before. */
  async function checkLeft(leaves: (space: DiskSpace) => number): Promise<void> {
    await assertWritable?.();
    const space = await readSpace();
    if (space.freeBytes < leaves(space)) throw new DiskFull("too little is left");
  }

  return {
    reserve: (bytes) => open(bytes, floorOf),
    reserveSmall: (bytes) => open(bytes, spareOf),
    check: () => checkLeft(spareOf),
    checkUploads: () => checkLeft(floorOf),
    space: readSpace,
  };
}
