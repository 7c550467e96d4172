import { statfs } from "node:fs/promises";

/** The disk has no room for the next write. */
export class DiskFull extends Error {
  override name = "DiskFull";
}

/** Whether a write failed because the disk, or what the system lets us have of it, is full. */
export function isOutOfSpace(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ENOSPC" || code === "EDQUOT";
}

/** Room on the disk that is reserved for one writer. Disposing it releases what is left. */
export interface Reservation extends Disposable {
  /** Reserves `bytes` more. @throws {DiskFull} and keeps what it had */
  extend(bytes: number): Promise<void>;
  /** Tells that `bytes` of it were written, so the file system counts them now. */
  spend(bytes: number): void;
  /** Releases what was not written. */
  settle(): void;
  /** What may still be written. */
  readonly leftBytes: number;
}

/**
 * The free room on the disk that holds DATA_DIR. Reservations add up, so that all writers together fit. A spare is never
 * reserved, because PostgreSQL writes to the same disk.
 */
export interface DiskRoom {
  /** @throws {DiskFull} */
  reserve(bytes: number): Promise<Reservation>;
  /** @throws {DiskFull} if less than the spare is left */
  check(): Promise<void>;
}

export interface DiskRoomOptions {
  /** What programs without a reservation may need. */
  spareBytes: number;
  /** Returns the bytes that are free for this program. */
  readFreeBytes: () => Promise<number>;
}

export interface DiskSpace {
  /** Free for this program. */
  freeBytes: number;
  totalBytes: number;
}

/** The file system that holds `path`. */
export async function spaceOf(path: string): Promise<DiskSpace> {
  const { bavail, blocks, bsize } = await statfs(path);
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
}

/** Free bytes of the file system that holds `path`. */
export async function freeBytesOf(path: string): Promise<number> {
  return (await spaceOf(path)).freeBytes;
}

export function createDiskRoom({ spareBytes, readFreeBytes }: DiskRoomOptions): DiskRoom {
  let promisedBytes = 0;
  /** All bytes ever taken off the reservations. Bytes written while the system is asked may be missing in its answer. */
  let unreservedBytes = 0;

  async function promise(bytes: number): Promise<void> {
    const unreservedBefore = unreservedBytes;
    const freeBytes = await readFreeBytes();
    const unseenBytes = unreservedBytes - unreservedBefore;
    if (freeBytes - promisedBytes - unseenBytes - bytes < spareBytes) throw new DiskFull("no room is left");
    promisedBytes += bytes;
  }

  function unreserve(bytes: number): void {
    promisedBytes -= bytes;
    unreservedBytes += bytes;
  }

  return {
    async reserve(bytes) {
      await promise(bytes);
      let leftBytes = bytes;
      let isOpen = true;
      const settle = () => {
        unreserve(leftBytes);
        leftBytes = 0;
      };
      return {
        get leftBytes() {
          return leftBytes;
        },
        async extend(more) {
          await promise(more);
          // It was disposed meanwhile, so nobody will write it.
          if (isOpen) leftBytes += more;
          else unreserve(more);
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
    },

    async check() {
      if ((await readFreeBytes()) < spareBytes) throw new DiskFull("less than the spare is left");
    },
  };
}
