import { readFileSync, statfsSync } from "node:fs";
import { freemem, tmpdir } from "node:os";

const MEMORY_FOLDER = "/dev/shm";
/** More than all test files of a run keep at once. */
const ROOM_BYTES = 3 * 1024 ** 3;

/**
 * The fastest folder for temporary files: in memory, if the machine has room there and lets programs start
 * from it (PostgreSQL's are beside its data); else the usual temporary folder.
 */
export function fastFolder(): string {
  return process.platform === "linux" && hasRoom() && mayStartPrograms() ? MEMORY_FOLDER : tmpdir();
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
    return Math.min(bavail * bsize, freemem()) >= ROOM_BYTES;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

/** By proc(5) `mounts`: containers often mount it with `noexec`. */
function mayStartPrograms(): boolean {
  const mounts = readFileSync("/proc/mounts", "utf8").split("\n");
  const options = mounts.map((line) => line.split(" ")).findLast(([, path]) => path === MEMORY_FOLDER)?.[3];
  return options !== undefined && !options.split(",").includes("noexec");
}
