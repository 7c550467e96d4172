import { chmod, mkdir, open, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { sync } from "../storage/disk/durable-file.ts";
import { isAbsent } from "../storage/disk/fs-failure.ts";

/** The identity of this process among the nodes, and where it stages bytes. */
export interface Node {
  /** Stays the same across restarts on one DATA_DIR. Names the node's queues. */
  id: string;
  /** New at each start. Tells a running upload from one that died with a former run. */
  bootId: string;
  /** By the system's clock. */
  startedAt: Date;
  stagingDir: string;
  /** Where resumable uploads arrive. */
  arrivingDir: string;
  /** Uploads of this run that failed while the database could not record it. The sweep ends them. */
  unendedUploads: Set<string>;
  /** The path of a staged object. */
  stagedPath(key: string): string;
}

/** The folder below DATA_DIR in which an import is a node of its own, beside a running server. */
export function importDirOf(dataDir: string): string {
  return join(dataDir, "import");
}

const NODE_ID = "node-id";

/** The id of the node that has run in a folder, if one has. */
export async function readNodeId(dataDir: string): Promise<string | undefined> {
  const id = await readFile(join(dataDir, NODE_ID), "utf8").catch((error) => {
    if (isAbsent(error)) return "";
    throw error;
  });
  return id.trim() || undefined;
}

export async function createNode(dataDir: string): Promise<Node> {
  const stagingDir = join(dataDir, "staging");
  const arrivingDir = join(dataDir, "arriving");
  // PostgreSQL's account may pass through DATA_DIR to its own folder, but must not see into these.
  for (const folder of [stagingDir, arrivingDir]) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await chmod(folder, 0o700);
  }
  const id = await readOrCreate(join(dataDir, NODE_ID), () => Bun.randomUUIDv7());
  return {
    id,
    bootId: Bun.randomUUIDv7(),
    startedAt: new Date(),
    stagingDir,
    arrivingDir,
    unendedUploads: new Set(),
    stagedPath: (key) => join(stagingDir, key),
  };
}

/** Reads a small file, or writes the result of `create` to it durably if it is missing. Mode 0600. */
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
