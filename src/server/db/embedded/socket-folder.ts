import { chmod, mkdir, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
 * records which, so that others can attach.
 */
export async function makeSocketFolder(root: string, account: Account | undefined): Promise<SocketFolder> {
  const own = join(root, "run");
  const temporary = Buffer.byteLength(own) > MAX_FOLDER_BYTES;
  const path = temporary ? await mkdtemp(join(shortTmp(), "exameteca-")) : own;
  await mkdir(path, { recursive: true });
  await chmod(path, 0o700);
  await changeOwner(account, path);
  return { path, temporary };
}

function shortTmp(): string {
  const longest = MAX_FOLDER_BYTES - "/exameteca-XXXXXX".length;
  return Buffer.byteLength(tmpdir()) <= longest ? tmpdir() : "/tmp";
}
