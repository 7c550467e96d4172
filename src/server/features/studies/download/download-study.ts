import type { DbOrTx } from "../../../db/client.ts";
import type { Deps } from "../../../deps.ts";
import { listVolumes } from "../../../holdings/objects/stored-objects.repo.ts";
import type { StoredObjectRow } from "../../../holdings/objects/stored-objects.table.ts";
import { AppError } from "../../../http/app-error.ts";
import { fileNameOf } from "../../../http/file-name.ts";
import { subscriptionRequired } from "../../../http/guard.ts";
import { forbidden } from "../../../http/http.errors.ts";
import type { RequestOrigin } from "../../../http/request-origin.ts";
import type { Session } from "../../../http/session.ts";
import { aboutStudy, recordAudit } from "../../audit/audit.repo.ts";
import { chargeAction, FREE_RANGES_MS } from "../../subscriptions/charge-action.ts";
import { lockSubscription } from "../../subscriptions/subscriptions.repo.ts";
import { findStudy } from "../access/find-study.ts";
import { mayDownload } from "../access/study-access.ts";
import { unlessStudyGone } from "../access/unless-study-gone.ts";
import { studyNotFound } from "../studies.errors.ts";
import type { Caller } from "../studies.repo.ts";
import type { StudyRow } from "../studies.table.ts";
import { findDownload, recordDownload } from "./download.repo.ts";

/** Studies, mostly one, as one file to download; `etag` names exactly these volumes. */
export interface StudyFile {
  studies: StudyRow[];
  volumes: StoredObjectRow[];
  etag: string;
  fileName: string;
}

/** Who may download what they see, as they are now. */
type Downloader = Caller & Pick<Session, "hasActiveSubscription">;

/**
 * Finds the file of a study for a caller who may download it: its owner, an admin, or a grantee of role `user`, with a subscription.
 * @throws {AppError} `study.not_found`, `role.forbidden`, `subscription.required`
 */
export async function findStudyFile(
  deps: Pick<Deps, "db">,
  caller: Downloader,
  reference: string,
): Promise<StudyFile> {
  return await fileOf(deps, [await findDownloadable(deps, caller, reference)]);
}

/** Finds a study that the caller may download. @throws {AppError} as {@link findStudyFile} */
export async function findDownloadable(
  deps: Pick<Deps, "db">,
  caller: Downloader,
  reference: string,
): Promise<StudyRow> {
  const study = await findStudy(deps.db, caller, reference);
  if (!mayDownload(caller, study)) throw new AppError(forbidden);
  // A range of a download that was charged asks nothing else of the subscription.
  if (!caller.hasActiveSubscription) throw new AppError(subscriptionRequired);
  return study;
}

/** The file that these studies form, in this order. @throws {AppError} `study.not_found` for one that was deleted meanwhile */
export async function fileOf({ db }: Pick<Deps, "db">, studies: StudyRow[]): Promise<StudyFile> {
  const volumes: StoredObjectRow[] = [];
  for (const study of studies) {
    const ofStudy = await listVolumes(db, study.id);
    if (ofStudy.length === 0) throw new AppError(studyNotFound);
    volumes.push(...ofStudy);
  }
  const names = volumes.map((volume) => volume.id).join();
  const etag = `"${new Bun.CryptoHasher("sha256").update(names).digest("hex").slice(0, 32)}"`;
  const [first, ...others] = studies.map(({ patientName }) => downloadName(patientName));
  const isOnePatient = first !== undefined && others.every((name) => name === first);
  return { studies, volumes, etag, fileName: isOnePatient ? first : "exames_HIS.zip" };
}

/**
 * Counts a download against the caller's month before its first byte, one action a study and all of them or none, unless this is
 * another range of one that they were charged for within the hour.
 * @throws {AppError} `quota.actions`, `subscription.required`; `study.not_found` for a study that was deleted meanwhile
 */
export async function chargeDownload(
  deps: Pick<Deps, "db" | "clock">,
  caller: Caller,
  file: StudyFile,
  request: { isRange: boolean; origin: RequestOrigin },
): Promise<void> {
  const now = deps.clock.now();
  const { studies, etag } = file;
  if (request.isRange && (await hasFreeRanges(deps, caller, file))) return;
  const charging = deps.db.transaction(async (tx) => {
    if (request.isRange) {
      // Ranges requested at once are one download: with the lock, the second request sees that the first was counted.
      await lockSubscription(tx, caller.userId);
      if (await hasFreeRanges({ ...deps, db: tx }, caller, file)) return;
    }
    const account = { userId: caller.userId, isAdmin: caller.role === "admin" };
    for (const study of studies) {
      const { studyInstanceUID } = study;
      await chargeAction(tx, account, { exam: "imaging", kind: "download", studyInstanceUID }, now);
      await recordDownload(tx, { userId: caller.userId, studyId: study.id, etag, chargedAt: now });
      await recordAudit(tx, {
        at: now,
        action: "study.downloaded",
        actorId: caller.userId,
        ...aboutStudy(study),
        ...request.origin,
      });
    }
  });
  await unlessStudyGone(charging);
}

/** Whether the caller was charged for this very file within the hour. */
export async function hasFreeRanges(
  deps: Pick<Deps, "clock"> & { db: DbOrTx },
  caller: Caller,
  file: StudyFile,
): Promise<boolean> {
  const since = deps.clock.now().getTime() - FREE_RANGES_MS;
  for (const study of file.studies) {
    const last = await findDownload(deps.db, caller.userId, study.id);
    if (last?.etag !== file.etag || last.chargedAt.getTime() < since) return false;
  }
  return true;
}

/** The download's file name: the sanitised patient name followed by `_HIS.zip`. */
function downloadName(patientName: string | null): string {
  const [name = ""] = (patientName ?? "").split("^");
  return `${fileNameOf(name.trim()) || "estudo"}_HIS.zip`;
}
