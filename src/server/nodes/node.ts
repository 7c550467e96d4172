import { chmod, mkdir, open, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { sync } from "../storage/disk/durable-file.ts";

/** This process among equals: who it is and where it stages bytes. */
export interface Node {
  /** Stays the same over restarts on the same DATA_DIR; names the node's queues. */
  id: string;
  /** New at each start: tells an upload in progress from one that died with a former run. */
  bootId: string;
  /** By the system's clock. */
  startedAt: Date;
  stagingDir: string;
  /** Where a staged object lies. */
  stagedPath(key: string): string;
}

export async function createNode(dataDir: string): Promise<Node> {
  const stagingDir = join(dataDir, "staging");
  // DATA_DIR may let PostgreSQL's account through to its own folder: it must not see into this one.
  await mkdir(stagingDir, { recursive: true, mode: 0o700 });
  await chmod(stagingDir, 0o700);
  const id = await readOrCreate(join(dataDir, "node-id"), () => Bun.randomUUIDv7());
  return {
    id,
    bootId: Bun.randomUUIDv7(),
    startedAt: new Date(),
    stagingDir,
    stagedPath: (key) => join(stagingDir, key),
  };
}

/** The content of a small file, made durable with `create` where it is not there yet; mode 0600. */
export async function readOrCreate(path: string, create: () => string): Promise<string> {
  const existing = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw error;
  });
  if (existing.trim() !== "") return existing.trim();
  const content = create();
  const temporary = `${path}.${process.pid}.tmp`;
  await writeFile(temporary, `${content}\n`, { mode: 0o600 });
  const file = await open(temporary);
  await file.sync();
  await file.close();
  await rename(temporary, path);
  await sync(dirname(path));
  return content;
}
