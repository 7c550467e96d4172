import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Db } from "../../db/client.ts";
import { chunks } from "../../runtime/chunks.ts";
import { DiskFull, type DiskRoom } from "../../storage/disk/disk-room.ts";
import { rawPath } from "../../storage/disk/raw-path.ts";
import { DEFAULT_INGEST_LIMITS, TRIAL_INGEST_LIMITS } from "../ingest/worker/ingest-limits.ts";
import type { IngestWorkers } from "../ingest/worker/ingest-workers.ts";
import { IngestRefused } from "../ingest/worker/worker.errors.ts";
import type { IngestFailure } from "../ingest/worker/worker-messages.ts";
import { findStoredStudies } from "../studies/study-contents.repo.ts";
import { findStorageQuota } from "../subscriptions/storage.repo.ts";
import { examLimitReached, storageLimitReached } from "../subscriptions/subscriptions.errors.ts";
import { findSubscriptionWithPlan } from "../subscriptions/subscriptions.repo.ts";
import type { ImportAccount } from "./find-uploader.ts";
import type { FileReport, FoundFile } from "./found-file.ts";
import { lookIntoFile } from "./look-into-file.ts";
import { ENTRY_OVERHEAD_BYTES } from "./spool-zip.ts";
import { walkPaths } from "./walk-paths.ts";

/** Studies that are told apart; the instances of further ones are counted together. */
const MAX_STUDIES = 200_000;
const STUDIES_AT_ONCE = 1_000;
/** As when the disk is full in the middle of a scan. */
const DISK_FULL = "disk.full" satisfies IngestFailure;

/** What would happen to a study. `known`: it exists, and instances that are not there yet would be added. */
export interface ForeseenStudy {
  studyInstanceUID: string;
  instances: number;
  bytes: number;
  state: "new" | "known" | "refused";
  /** The quota that refuses it. */
  reason?: string;
}

export interface DryRunOptions {
  db: Db;
  ingestWorkers: IngestWorkers;
  /** The disk of the folder for temporary files: large entries are inflated there. */
  disk: DiskRoom;
  account: ImportAccount;
  paths: readonly string[];
  /** A folder that is not entered. */
  avoid: string;
  signal: AbortSignal;
  /** Called for files that would be skipped or refused. */
  onReport(report: FileReport): Promise<void>;
}

type Content = { instances: number; bytes: number };

/** Reads everything below the paths and works out what an import would do; stores nothing. */
export async function* dryRun(options: DryRunOptions): AsyncGenerator<ForeseenStudy, void> {
  const studies = await readStudies(options);
  const plan = await openPlan(options);
  for (const uids of chunks([...studies.keys()], STUDIES_AT_ONCE)) {
    const known = await findStoredStudies(options.db, options.account.caller.userId, uids);
    for (const studyInstanceUID of uids) {
      const content = studies.get(studyInstanceUID) ?? { instances: 0, bytes: 0 };
      const isNew = !known.has(studyInstanceUID);
      const reason = plan.take(content, isNew);
      const state = reason === undefined ? (isNew ? "new" : "known") : "refused";
      yield { studyInstanceUID, ...content, state, ...(reason !== undefined && { reason }) };
    }
  }
}

async function readStudies(options: DryRunOptions): Promise<Map<string, Content>> {
  const { paths, avoid, signal, onReport } = options;
  const studies = new Map<string, Content>();
  const add = (uid: string, { instances, bytes }: Content) => {
    const name = studies.has(uid) || studies.size < MAX_STUDIES ? uid : "";
    const before = studies.get(name) ?? { instances: 0, bytes: 0 };
    studies.set(name, { instances: before.instances + instances, bytes: before.bytes + bytes });
  };
  for await (const walked of walkPaths(paths, { avoid, signal })) {
    if ("report" in walked) {
      await onReport(walked.report);
      continue;
    }
    const { found } = walked;
    const looked = lookIntoFile(found);
    if (looked.kind === "neither") await onReport(looked.report);
    else if (looked.kind === "zip") await readZip(options, found, add);
    else add(looked.studyInstanceUID, { instances: 1, bytes: found.sizeBytes + ENTRY_OVERHEAD_BYTES });
  }
  return studies;
}

/** Scans a ZIP where it is, as an upload's ZIP is scanned. */
async function readZip(
  { ingestWorkers, disk, account, signal, onReport }: DryRunOptions,
  { path }: FoundFile,
  add: (uid: string, content: Content) => void,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "exameteca-dry-run-"));
  try {
    const zipPath = await openablePath(folder, path);
    const limits = account.isTrial ? TRIAL_INGEST_LIMITS : DEFAULT_INGEST_LIMITS;
    const session = await ingestWorkers.open(folder, zipPath, limits, signal);
    try {
      using _ = await disk.reserve(session.inflatedBytes);
      const { studies, skipped, restBytes, instanceCount } = await session.scan();
      if (studies.length === 0)
        return await onReport({ path, outcome: "skipped", reason: "upload.no_dicom" });
      for (const { name, reason } of skipped)
        await onReport({ path: `${path}!/${name}`, outcome: "skipped", reason });
      for (const { studyInstanceUID, series } of studies) {
        const instances = series.reduce((sum, { sopInstanceUIDs }) => sum + sopInstanceUIDs.length, 0);
        // Only the whole ZIP's bytes at rest are known.
        add(studyInstanceUID, {
          instances,
          bytes: Math.ceil((restBytes * instances) / Math.max(1, instanceCount)),
        });
      }
    } finally {
      await session.dispose();
    }
  } catch (error) {
    if (error instanceof DiskFull) return await onReport({ path, outcome: "refused", reason: DISK_FULL });
    if (!(error instanceof IngestRefused)) throw error;
    await onReport({ path, outcome: "refused", reason: error.failure });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A path that another process can be told: a link in `folder`, if the name is no text. */
async function openablePath(folder: string, path: string): Promise<string> {
  const raw = rawPath(path);
  if (typeof raw === "string") return raw;
  const link = join(folder, "zip");
  await symlink(raw, link);
  return link;
}

/** What is left of the account's plan. */
interface PlanRoom {
  /** Takes a study, if there is room; returns the code of the quota that refuses it. */
  take(content: Content, isNew: boolean): string | undefined;
}

async function openPlan({ db, account }: DryRunOptions): Promise<PlanRoom> {
  const { userId, role } = account.caller;
  const found = role === "admin" ? undefined : await findSubscriptionWithPlan(db, userId);
  const quota = await findStorageQuota(db, userId);
  let exams = found ? found.plan.examLimit - found.subscription.examCount : Number.POSITIVE_INFINITY;
  let bytes = quota ? quota.limitBytes - quota.usedBytes : Number.POSITIVE_INFINITY;
  return {
    take(content, isNew) {
      if (isNew && exams < 1) return examLimitReached.code;
      if (content.bytes > bytes) return storageLimitReached.code;
      if (isNew) exams--;
      bytes -= content.bytes;
      return undefined;
    },
  };
}
