import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openPostgres, type Sql } from "../../../db/postgres.ts";
import { type ObjectSources, readToEnd } from "../../../holdings/object-sources.ts";
import { findOwnKeys } from "../../../holdings/sweeping/find-own-keys.ts";
import { forEachAtOnce } from "../../../runtime/for-each-at-once.ts";
import { isAbsent } from "../../../storage/disk/fs-failure.ts";
import {
  findKnownUploads,
  findNamedObject,
  listNamedObjects,
  listOrphans,
  type NamedObject,
} from "../named-objects.repo.ts";
import { inSnapshot, readRows, spoolRows, type Total } from "../snapshot.ts";

/** A difference between the archive and what was stored. */
export interface Finding {
  /** `orphan`: bytes that belong to nothing. */
  kind: "changed" | "missing" | "orphan";
  /** The key of the object. */
  object: string;
  /** The UID of the object's study; absent for a laboratory PDF and an orphan. */
  studyInstanceUID?: string;
}

export interface Verification {
  /** How many objects were read, or looked for. */
  objects: number;
  bytes: number;
  findings: Finding[];
  /** How many objects differed when they were read first, and not the second time; absent for none. */
  differedOnce?: number;
  /** Only of a shared bucket: the number of its objects of uploads that this database does not know, which are no findings. */
  unknownObjects?: number;
}

export interface VerifyOptions {
  databaseUrl: string;
  sources: ObjectSources;
  /** Folders in which every file is an object: the store, if it is a folder, and the staging area. */
  folders: readonly string[];
  /** Whether other installations have objects in the store too. */
  isShared?: boolean;
  signal: AbortSignal;
  onProgress?: (done: Total, total: Total) => void;
}

const READS_AT_ONCE = 4;
const KEYS_AT_ONCE = 1_000;

/**
 * Reads every byte of every object that the database names and compares size and SHA-256, of one that differs a second time at the
 * end; then looks for orphans. It changes and deletes nothing, and the server may run meanwhile.
 * @throws {StoreUnavailable} which does not mean that objects are damaged
 */
export async function verifyArchive(options: VerifyOptions): Promise<Verification> {
  const { databaseUrl, signal } = options;
  const scratch = await mkdtemp(join(tmpdir(), "exameteca-verify-"));
  const sql = openPostgres(databaseUrl, { max: READS_AT_ONCE });
  try {
    const names = join(scratch, "names");
    const total = await inSnapshot(databaseUrl, (tx) => spoolRows(listNamedObjects(tx), names, signal));
    await options.sources.store.check();
    const done = { objects: 0, bytes: 0 };
    const findings: Finding[] = [];
    const doubtful: NamedObject[] = [];
    const take = async (object: NamedObject) => {
      if (await verifyObject(sql, object, options)) doubtful.push(object);
      done.objects++;
      done.bytes += object.sizeBytes;
      options.onProgress?.(done, total);
    };
    await forEachAtOnce(readRows<NamedObject>(names), READS_AT_ONCE, take);
    // A store may answer wrong for a moment.
    await forEachAtOnce(doubtful, READS_AT_ONCE, async (object) => {
      const finding = await verifyObject(sql, object, options);
      if (finding) findings.push(finding);
    });
    const differedOnce = doubtful.length - findings.length;
    let unknownObjects = 0;
    for await (const { key, isUnknown } of orphans(sql, options)) {
      if (isUnknown) unknownObjects++;
      else findings.push({ kind: "orphan", object: key });
    }
    return {
      ...done,
      findings,
      ...(differedOnce > 0 && { differedOnce }),
      ...(options.isShared && { unknownObjects }),
    };
  } finally {
    await sql.end({ timeout: 5 });
    await rm(scratch, { recursive: true });
  }
}

async function verifyObject(
  sql: Sql,
  object: NamedObject,
  { sources, signal }: VerifyOptions,
): Promise<Finding | undefined> {
  const lookAgain = () => findNamedObject(sql, object.key);
  const found = await readToEnd(object, { sources, signal, lookAgain });
  // Bytes on another node are verified there.
  if (found === "right" || found === "gone" || found === "elsewhere") return undefined;
  const { key, studyInstanceUID } = object;
  return { kind: found, object: key, ...(studyInstanceUID !== null && { studyInstanceUID }) };
}

interface Orphan {
  key: string;
  /** It is in a shared store, and its upload is not in this database. */
  isUnknown: boolean;
}

/** Orphans in the store and in the staging area. */
async function* orphans(sql: Sql, options: VerifyOptions): AsyncGenerator<Orphan> {
  const { sources, folders, isShared = false, signal } = options;
  const lists = folders.map((folder) => ({ keys: filesBelow(folder), isShared: false }));
  if (!sources.storedPath) lists.push({ keys: keysOf(sources), isShared });
  for (const list of lists) {
    for await (const keys of inBatches(list.keys, KEYS_AT_ONCE)) {
      signal.throwIfAborted();
      const found = await listOrphans(sql, keys);
      const own = list.isShared
        ? await findOwnKeys(found, (ids) => findKnownUploads(sql, ids))
        : new Set(found);
      for (const key of found) yield { key, isUnknown: !own.has(key) };
    }
  }
}

async function* inBatches(keys: AsyncIterable<string>, size: number): AsyncGenerator<string[]> {
  let batch: string[] = [];
  for await (const key of keys) {
    batch.push(key);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

async function* keysOf({ store }: ObjectSources): AsyncGenerator<string> {
  for await (const { key } of store.list("")) yield key;
}

/** Yields files of any name, since a file that no key could name is an orphan too; skips files that are being written. */
async function* filesBelow(folder: string, prefix = ""): AsyncGenerator<string> {
  for (const entry of await entriesOf(folder)) {
    if (prefix === "" && entry.name.startsWith("~")) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path, `${prefix}${entry.name}/`);
    else yield prefix + entry.name;
  }
}

async function entriesOf(folder: string) {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}
