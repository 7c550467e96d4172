import { statfs } from "node:fs/promises";

/** The disk has no room for what is to be written. */
export class DiskFull extends Error {
  override name = "DiskFull";
}

/** Room on the disk for what one writer is going to write; what is left of it goes back when it is disposed. */
export interface Reservation extends Disposable {
  /** Has it cover `bytes` more. @throws {DiskFull} and covers what it did */
  extend(bytes: number): Promise<void>;
  /** `bytes` of it are on the disk by now, where the system counts them. */
  spend(bytes: number): void;
  /** Gives back what was not written. */
  settle(): void;
  /** What may still be written. */
  readonly leftBytes: number;
}

/**
 * The room on the disk that holds DATA_DIR, promised to one writer at a time: what several are going to write is added up,
 * so that all of them can. A spare is promised to nobody: PostgreSQL lies there, too.
 */
export interface DiskRoom {
  /** @throws {DiskFull} */
  reserve(bytes: number): Promise<Reservation>;
  /** @throws {DiskFull} where less than the spare is left */
  check(): Promise<void>;
}

export interface DiskRoomOptions {
  /** What others than the promised writers may need. */
  spareBytes: number;
  /** Bytes that are free for this program. */
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
  /** Ever taken off the promises: what is written while the system is asked may be missing in its answer. */
  let takenOffBytes = 0;

  async function promise(bytes: number): Promise<void> {
    const takenOffBefore = takenOffBytes;
    const freeBytes = await readFreeBytes();
    const unseenBytes = takenOffBytes - takenOffBefore;
    if (freeBytes - promisedBytes - unseenBytes - bytes < spareBytes) throw new DiskFull("no room is left");
    promisedBytes += bytes;
  }

  function takeOff(bytes: number): void {
    promisedBytes -= bytes;
    takenOffBytes += bytes;
  }

  return {
    async reserve(bytes) {
      await promise(bytes);
      let leftBytes = bytes;
      let isOpen = true;
      const settle = () => {
        takeOff(leftBytes);
        leftBytes = 0;
      };
      return {
        get leftBytes() {
          return leftBytes;
        },
        async extend(more) {
          await promise(more);
          // Disposed meanwhile: nobody is left to write it.
          if (isOpen) leftBytes += more;
          else takeOff(more);
        },
        spend(written) {
          const spent = Math.min(written, leftBytes);
          takeOff(spent);
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
