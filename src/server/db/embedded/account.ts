import { spawnSync } from "node:child_process";
import { chmod, chown, readFile, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { DataDirUnreachable } from "./embedded.errors.ts";

/** The account that PostgreSQL runs as, if it is not this process's own. */
export interface Account {
  name: string;
  uid: number;
  gid: number;
}

/**
 * PostgreSQL refuses to run as root. If this process is root, PostgreSQL runs as the owner of the existing data, or as
 * `nobody`. Returns `undefined` if this process is not root: PostgreSQL then runs as the same account.
 * @param owner uid and gid of the existing data folder, if there is one
 * @throws {DataDirUnreachable} if the data belong to another account, or there is no account to use
 */
export async function chooseAccount(
  dataFolder: string,
  owner: { uid: number; gid: number } | undefined,
): Promise<Account | undefined> {
  const uid = process.getuid?.();
  if (uid !== 0) {
    if (owner && owner.uid !== uid) {
      throw new DataDirUnreachable(
        `${dataFolder} belongs to uid ${owner.uid}, and this is uid ${uid}: run as that user (or as root)`,
      );
    }
    return undefined;
  }
  if (owner && owner.uid !== 0) return { name: `uid ${owner.uid}`, uid: owner.uid, gid: owner.gid };
  return nobody();
}

async function nobody(): Promise<Account> {
  for (const line of (await readFile("/etc/passwd", "utf8")).split("\n")) {
    const [name, , uid, gid] = line.split(":");
    if (name === "nobody") return { name, uid: Number(uid), gid: Number(gid) };
  }
  throw new DataDirUnreachable(
    "PostgreSQL can't run as root, and /etc/passwd has no user nobody: run as an ordinary user, or set DATABASE_URL",
  );
}

/** Gives a file or folder to the account; does nothing if PostgreSQL runs as this process's account. */
export async function changeOwner(account: Account | undefined, path: string): Promise<void> {
  if (account) await chown(path, account.uid, account.gid);
}

/**
 * Lets the account pass through `folders` (our own, outermost first) by group and its `x` bit alone: it can open paths
 * it knows and list nothing. Folders above them are left as they are.
 * @throws {DataDirUnreachable} if a folder above denies access
 */
export async function allowPassage(account: Account | undefined, folders: readonly string[]): Promise<void> {
  if (!account) return;
  const [outermost] = folders;
  if (!outermost) return;
  const barred = firstBarred(account, ancestors(outermost));
  if (barred) {
    throw new DataDirUnreachable(
      `PostgreSQL can't run as root. It runs as ${account.name}, who can't pass through ${barred} to reach ${outermost}. ` +
        `Choose a DATA_DIR elsewhere (such as /var/lib/exameteca), run as an ordinary user, or allow it: chmod o+x ${barred}`,
    );
  }
  for (const folder of folders) {
    if (!firstBarred(account, [folder])) continue;
    const { uid, mode } = await stat(folder);
    await chown(folder, uid, account.gid);
    await chmod(folder, (mode & 0o7777) | 0o010);
  }
}

function ancestors(path: string): string[] {
  const above = dirname(path);
  return above === path ? [] : [...ancestors(above), above];
}

/** The first of `folders` that the account cannot enter, as the kernel decides (ACLs and mounts included). */
function firstBarred(account: Account, folders: readonly string[]): string | undefined {
  const script = 'for folder; do test -x "$folder" || { printf %s "$folder"; break; }; done';
  const result = spawnSync("/bin/sh", ["-c", script, "sh", ...folders], {
    uid: account.uid,
    gid: account.gid,
    cwd: "/",
    encoding: "utf8",
  });
  if (result.status !== 0) {
    throw new DataDirUnreachable(`can't act as ${account.name}`, { cause: result.error });
  }
  return result.stdout || undefined;
}
