import { join } from "node:path";
import { statFile } from "../../../storage/disk/durable-file.ts";
import { isAbsent } from "../../../storage/disk/fs-failure.ts";
import { namesIn } from "../../../storage/disk/list-files.ts";
import type { BackupFolder } from "../backup-folder.ts";
import { type BackupFile, SECRETS } from "../backup-manifest.ts";
import { copyHashed, placeFile, writeHashed } from "../hashed-copy.ts";

/** A small file that is stored in the state itself. */
export interface SmallFile {
  kind: "secret" | "mail";
  /** Its name in the state. */
  name: string;
  /** The file's path, or its content. */
  source: { path: string } | { text: string };
}

/**
 * The secrets and the mails of an installation.
 * @param authSecret AUTH_SECRET, if the environment sets it
 */
export async function listSmallFiles(
  dataDir: string,
  outbox: string,
  authSecret: string | undefined,
): Promise<SmallFile[]> {
  const files: SmallFile[] = [];
  for (const name of SECRETS) {
    const path = join(dataDir, name);
    if (name === "auth-secret" && authSecret !== undefined)
      files.push({ kind: "secret", name, source: { text: `${authSecret}\n` } });
    else if (await statFile(path)) files.push({ kind: "secret", name, source: { path } });
  }
  for (const name of await namesOfMails(outbox))
    files.push({ kind: "mail", name, source: { path: join(outbox, name) } });
  return files;
}

/** Copies the files into the state that is being written; skips a mail that was swept meanwhile. */
export async function* copySmallFiles(
  folder: BackupFolder,
  state: string,
  files: readonly SmallFile[],
): AsyncGenerator<BackupFile> {
  for (const { kind, name, source } of files) {
    const relative = `${kind === "secret" ? "secrets" : "mail"}/${name}`;
    const target = join(folder.unfinishedPath(state), relative);
    try {
      const written = await placeFile(folder.unfinishedPath(state), async (path) => ({
        target,
        result:
          "path" in source ? await copyHashed(source.path, path) : await writeHashed([source.text], path),
      }));
      yield { path: `states/${state}/${relative}`, kind, ...written };
    } catch (error) {
      if (!(kind === "mail" && isAbsent(error))) throw error;
    }
  }
}

async function namesOfMails(outbox: string): Promise<string[]> {
  return (await namesIn(outbox)).filter((name) => name.endsWith(".eml")).sort();
}
