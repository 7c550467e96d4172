import { chmod, lstat, mkdir, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { errnoOf } from "../../storage/disk/fs-failure.ts";
import { type Account, changeOwner } from "./account.ts";

/** A socket's path fits in 108 bytes with its terminating NUL (unix(7)); this leaves room for the socket's name. */
const MAX_FOLDER_BYTES = 85;

/** `temporary`: outside the data directory, and removed with the server. */
export interface SocketFolder {
  path: string;
  temporary: boolean;
}

/**
 * A private folder for the socket: in the data directory, or a temporary one if that path is too long. `postmaster.pid`
 * records which, so that others can attach. `former` is used again.
 */
export async function makeSocketFolder(
  root: string,
  account: Account | undefined,
  former?: SocketFolder,
): Promise<SocketFolder> {
  const own = join(root, "run");
  const temporary = Buffer.byteLength(own) > MAX_FOLDER_BYTES;
  const path = temporary ? (former?.path ?? (await mkdtemp(join(shortTmp(), "exameteca-")))) : own;
  if (temporary && former) await makeAgain(path, account);
  else await mkdir(path, { recursive: true });
  await chmod(path, 0o700);
  await changeOwner(account, path);
  return { path, temporary };
}

/** Its watcher removed it when PostgreSQL ended. Everybody may write beside it, so nothing that is another's takes its place. */
async function makeAgain(path: string, account: Account | undefined): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw error;
    const found = await lstat(path);
    const owners = [process.getuid?.(), account?.uid];
    if (!found.isDirectory() || !owners.includes(found.uid)) throw error;
  }
}

function shortTmp(): string {
  const longest = MAX_FOLDER_BYTES - "/exameteca-XXXXXX".length;
  return Buffer.byteLength(tmpdir()) <= longest ? tmpdir() : "/tmp";
}
