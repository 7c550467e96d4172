import { relabelManifest } from "../../archive/manifest-codec.ts";
import { hashEmail, type StudyLabel, textsIn } from "../../archive/study-label.ts";
import type { DbOrTx } from "../../db/client.ts";
import type { Deps } from "../../deps.ts";
import { isUnsound } from "../../holdings/checking/integrity.ts";
import { passDerivative } from "../../holdings/derivatives/derivatives.repo.ts";
import { discardObjects } from "../../holdings/objects/discard-objects.ts";
import {
  deleteStoredObjects,
  insertStoredObjects,
  listVolumes,
} from "../../holdings/objects/stored-objects.repo.ts";
import { type ObjectDeps, readObject } from "../../holdings/reading/open-object.ts";
import { storeDocument } from "../../holdings/uploads/store-document.ts";
import { describeError } from "../../runtime/log.ts";
import { findUser, listMovedUsers, noteLabelledEmail } from "../accounts/users/users.repo.ts";
import { findReport } from "../reports/reports.repo.ts";
import { lockStudy } from "../studies/studies.repo.ts";
import type { StudyRow } from "../studies/studies.table.ts";
import { refreshStudies } from "../studies/study-contents.repo.ts";
import {
  findSmallestManifest,
  listUnlabelled,
  markLabelled,
  markUnlabelled,
  switchManifest,
} from "../studies/study-labels.repo.ts";
import { REPLACED_MANIFEST_SECONDS } from "./commit-upload.ts";
import { overridesOfRow } from "./study-index.ts";

/** A larger manifest is labelled by the next upload to its series only: it would take too much memory here. */
const MAX_MANIFEST_BYTES = 16 * 1024 * 1024;
const STUDIES_AT_ONCE = 100;
/** The next run goes on. */
const MAX_STUDIES_A_RUN = 20_000;
const MAX_USERS_A_RUN = 1_000;
const STUDIES_MARKED_AT_ONCE = 1_000;

type LabelDeps = ObjectDeps & Pick<Deps, "disk">;

/**
 * Writes the labels of studies that have none yet, or whose owner's e-mail, form values or report changed since: into one manifest of
 * each. What can't be labelled now is tried again at the next run.
 */
export async function relabelStudies(deps: LabelDeps, signal: AbortSignal): Promise<void> {
  await noticeMovedOwners(deps, signal);
  const counts = { labelled: 0, failed: 0 };
  let after = "00000000-0000-0000-0000-000000000000";
  for (let seen = 0; seen < MAX_STUDIES_A_RUN; ) {
    const page = await listUnlabelled(deps.db, after, STUDIES_AT_ONCE);
    for (const study of page) {
      signal.throwIfAborted();
      try {
        if (await relabelStudy(deps, study)) counts.labelled++;
      } catch (error) {
        counts.failed++;
        deps.log.warn("label.failed", describeError(error));
      }
    }
    const last = page.at(-1);
    if (!last) break;
    after = last.id;
    seen += page.length;
  }
  if (counts.labelled + counts.failed > 0) deps.log.info("labels.written", counts);
}

/** Has the studies of accounts labelled again whose address changed. */
async function noticeMovedOwners({ db }: Pick<LabelDeps, "db">, signal: AbortSignal): Promise<void> {
  for (const { id, email, labelledEmail } of await listMovedUsers(db, MAX_USERS_A_RUN)) {
    // Studies that came before the first sweep were labelled when they came, or are not labelled yet.
    while (labelledEmail !== null && (await markUnlabelled(db, id, STUDIES_MARKED_AT_ONCE)) > 0)
      signal.throwIfAborted();
    await noteLabelledEmail(db, id, email);
  }
}

/** The study changed while its label was written. */
class StudyChanged extends Error {
  override name = "StudyChanged";
}

/** Returns `false` if the study can't be labelled now. */
async function relabelStudy(deps: LabelDeps, study: StudyRow): Promise<boolean> {
  if (isUnsound(study) || study.storageStatus !== "b2") return false;
  const found = await findSmallestManifest(deps.db, study.id);
  if (!found || found.manifest.sizeBytes > MAX_MANIFEST_BYTES) return false;
  const { manifest } = found;
  const now = deps.clock.now();
  const facts = await factsOf(deps.db, study);
  const bytes = await relabelManifest(await readObject(deps, manifest), { at: now.toISOString(), ...facts });
  await storeDocument(
    deps,
    study.accountId,
    bytes,
    async (tx, document) => {
      const current = await lockStudy(tx, study.id);
      const isSame = current && Bun.deepEquals(await factsOf(tx, current), facts);
      if (!isSame) throw new StudyChanged("the study changed meanwhile");
      const object = { location: "archive", stagedOn: null, createdAt: now } as const;
      await insertStoredObjects(tx, [{ ...document, ...object, studyId: study.id, kind: "manifest" }]);
      if (!(await switchManifest(tx, manifest.id, document.id))) throw new StudyChanged("a newer manifest");
      await passDerivative(tx, { manifestId: manifest.id, replacedById: document.id });
      await deleteStoredObjects(tx, [manifest.id], { healedBy: "removed", at: now });
      await discardObjects(deps, tx, [manifest], { afterSeconds: REPLACED_MANIFEST_SECONDS });
      await refreshStudies(tx, [study.id]);
      await markLabelled(tx, study.id);
    },
    "manifest",
  );
  return true;
}

/** What a study's label says now. */
async function factsOf(db: DbOrTx, study: StudyRow): Promise<Omit<StudyLabel, "at">> {
  const { id: studyId, accountId, createdAt } = study;
  const owner = await findUser(db, accountId);
  const stored = await findReport(db, studyId);
  const report = stored && {
    objectId: stored.object.id,
    key: stored.object.key,
    sizeBytes: stored.object.sizeBytes,
    sha256: stored.object.sha256,
    uploadedBy: stored.report.uploadedBy,
    createdAt: stored.report.createdAt.toISOString(),
  };
  return {
    accountId,
    studyId,
    createdAt: createdAt.toISOString(),
    emailHash: hashEmail(accountId, owner?.email ?? ""),
    overrides: textsIn(overridesOfRow(study)),
    volumeIds: (await listVolumes(db, studyId)).map(({ id }) => id),
    ...(report && { report }),
  };
}
