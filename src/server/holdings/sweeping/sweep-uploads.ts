import { readdir, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { DAY_MS } from "../../../shared/units.ts";
import { isUuid } from "../../../shared/uuid.ts";
import type { Deps } from "../../deps.ts";
import { isLeftSpool } from "../../documents/form-spool.ts";
import { chunks } from "../../runtime/chunks.ts";
import { describeError } from "../../runtime/log.ts";
import { StoreUnavailable } from "../../storage/object-store.ts";
import { deleteUnlessHeld } from "../deletion-hold.repo.ts";
import { abandonUpload, removeUploadBytes } from "../uploads/abandon-upload.ts";
import {
  deleteOldUploads,
  endUpload,
  findKnownUploads,
  findUploads,
  listDeadUploads,
  listStagedKeys,
  unremovedUploads,
} from "../uploads/uploads.repo.ts";
import { findOwnKeys } from "./find-own-keys.ts";
import { sweepStoppedImport } from "./sweep-stopped-import.ts";

type SweepDeps = Pick<
  Deps,
  "db" | "node" | "store" | "staging" | "scratch" | "clock" | "databaseClock" | "log" | "config"
>;

const FOLDERS_AT_ONCE = 500;
const UPLOADS_AT_ONCE = 500;
const UNFINISHED_MS = DAY_MS;
const KEPT_MS = 30 * DAY_MS;

/** Gives up the uploads that a former run of this node was receiving, so that they can't be committed any more. */
export async function endDeadUploads(deps: SweepDeps): Promise<void> {
  const { db, node, clock, log } = deps;
  for (const upload of await listDeadUploads(db, node.id, node.bootId)) {
    if (await endUpload(db, upload.id, "failed", clock.now())) log.info("upload.swept", {});
  }
}

/**
 * Removes only the bytes that ended uploads of this node left behind, which is possible because each upload is recorded before its
 * first byte. Bytes that can't be removed now stay for the next sweep.
 */
export async function sweepUploads(deps: SweepDeps): Promise<void> {
  const { db, node } = deps;
  await sweepOwnUploads(deps);
  const now = (await deps.databaseClock.nowForDeletion(db)).getTime();
  for (const store of [deps.staging, deps.store]) {
    // Only this process and an import write to its disk; an S3 store is shared with other nodes. Uploads to it may take long.
    const dayAgo = new Date(now - UNFINISHED_MS);
    const olderThan = store.kind === "disk" && node.startedAt > dayAgo ? node.startedAt : dayAgo;
    await attempt(deps, () =>
      store.sweepUnfinished(olderThan, (keys) => findOwnKeys(keys, (ids) => findKnownUploads(db, ids))),
    );
  }
  await attempt(deps, () => sweepStoppedImport(deps));
  await deleteOldUploads(db, node.id, new Date(now - KEPT_MS));
}

/** Removes what ended uploads of this node left in its staging area and in the store, and what forms and scratch files of a run that was killed left. */
export async function sweepOwnUploads(deps: SweepDeps): Promise<void> {
  const { db, node } = deps;
  for (const uploadId of [...node.unendedUploads]) await abandonUpload(deps, uploadId);
  const names = await readdir(node.stagingDir);
  for (const some of chunks(names.filter(isUuid), FOLDERS_AT_ONCE)) {
    for (const upload of await findUploads(db, some)) {
      await attempt(deps, () => sweepFolder(deps, upload));
    }
  }
  for (const name of names.filter((name) => isLeftSpool(name, node)))
    await attempt(deps, () => rm(node.stagedPath(name), { force: true }));
  await attempt(deps, () => sweepStore(deps));
  await attempt(deps, async () => deps.scratch.sweep(await deps.databaseClock.nowForDeletion(db)));
}

/**
 * Removes what failed uploads of this node left in the store. Those without a folder are included: the folder may have been removed or
 * lost while the store was unreachable. A store that is still away is asked once, however many wait for it; one that only can't remove
 * some of them is asked for the others.
 */
async function sweepStore(deps: SweepDeps): Promise<void> {
  for await (const uploadIds of unremovedUploads(deps.db, deps.node.id, UPLOADS_AT_ONCE)) {
    for (const uploadId of uploadIds) {
      try {
        await removeUploadBytes(deps, uploadId);
      } catch (error) {
        if (error instanceof StoreUnavailable) await deps.store.check();
        deps.log.warn("upload.sweep_failed", describeError(error));
      }
    }
  }
}

/** Runs one part of a sweep: a folder that can't be removed, or an unreachable store, must not stop the rest. */
async function attempt(deps: SweepDeps, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    deps.log.warn("upload.sweep_failed", describeError(error));
  }
}

/** Removes the folder of a failed upload; in that of a committed one keeps only what rows name, or a backup may read. */
async function sweepFolder(
  deps: SweepDeps,
  upload: { id: string; nodeId: string; state: string },
): Promise<void> {
  if (upload.nodeId !== deps.node.id) return;
  if (upload.state === "failed") await removeUploadBytes(deps, upload.id);
  if (upload.state === "committed") await removeUnnamed(deps, upload.id);
}

async function removeUnnamed(deps: SweepDeps, uploadId: string): Promise<void> {
  const staged = await listStagedKeys(deps.db, uploadId, deps.node.id);
  if (!staged) return;
  const names = new Set(staged.map((key) => key.slice(uploadId.length + 1)));
  await deleteUnlessHeld(deps.db, () => keepOnly(deps.node.stagedPath(uploadId), names));
}

/** Removes everything but `names` from an upload's folder, and the folder itself once it is empty. Idempotent. */
export async function keepOnly(folder: string, names: ReadonlySet<string>): Promise<void> {
  const found = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    // The transfer removed it meanwhile.
    if (error.code !== "ENOENT") throw error;
    return [];
  });
  const others = found.filter((name) => !names.has(name));
  for (const name of others) await rm(join(folder, name), { recursive: true, force: true });
  // Whoever takes the last of these away removes the folder too.
  if (found.length > 0 && others.length === 0) return;
  await rmdir(folder).catch((error: NodeJS.ErrnoException) => {
    // The folder is still in use, or the transfer removed it meanwhile.
    if (error.code !== "ENOTEMPTY" && error.code !== "ENOENT") throw error;
  });
}
