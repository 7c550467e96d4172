import { chmod, link, mkdir, readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { writeBeside } from "../storage/disk/durable-file.ts";
import { errnoOf, isAbsent } from "../storage/disk/fs-failure.ts";

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
  /** Uploads of DICOM senders to which this run may still write. */
  growingUploads: Set<string>;
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
  return (await readTrimmed(join(dataDir, NODE_ID))) || undefined;
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
    growingUploads: new Set(),
    stagedPath: (key) => join(stagingDir, key),
  };
}

/**
 * Reads a small file, or writes the result of `create` to it durably if it is missing or empty. Mode 0600. Processes that create it at
 * once all return what the first of them wrote.
 */
export async function readOrCreate(path: string, create: () => string): Promise<string> {
  const existing = await readTrimmed(path);
  if (existing !== "") return existing;
  const content = create();
  return await writeBeside(path, `${content}\n`, async (temporary) => {
    if (await putWhereNoneIs(temporary, path)) return content;
    const others = await readTrimmed(path);
    if (others !== "") return others;
    await rename(temporary, path);
    return content;
  });
}

async function readTrimmed(path: string): Promise<string> {
  const text = await readFile(path, "utf8").catch((error) => {
    if (isAbsent(error)) return "";
    throw error;
  });
  return text.trim();
}

/** Errors of a path that has a file already, and of file systems without links, which could tell. */
const NOT_LINKED = new Set<string | undefined>(["EEXIST", "EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);

/** Returns whether the file is at `path` now. */
async function putWhereNoneIs(file: string, path: string): Promise<boolean> {
  try {
    await link(file, path);
    return true;
  } catch (error) {
    if (NOT_LINKED.has(errnoOf(error))) return false;
    throw error;
  }
}
