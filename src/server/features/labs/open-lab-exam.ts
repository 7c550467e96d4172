import { answerPdf } from "../../documents/answer-pdf.ts";
import { isUnsound } from "../../holdings/checking/integrity.ts";
import { type ObjectDeps, openObject } from "../../holdings/reading/open-object.ts";
import { AppError } from "../../http/app-error.ts";
import { fileNameOf } from "../../http/file-name.ts";
import type { RequestOrigin } from "../../http/request-origin.ts";
import type { Session } from "../../http/session.ts";
import { recordAudit } from "../audit/audit.repo.ts";
import { chargeAction } from "../subscriptions/charge-action.ts";
import { checkLabExam } from "./check-lab-exam.ts";
import { labObject } from "./lab-object.ts";
import { labExamNotFound } from "./labs.errors.ts";
import { findLabExam, type LabExamRow } from "./labs.repo.ts";

/**
 * Opens a lab exam to view, which is free, or to download, which costs one lab action of the month. HEAD sends nothing of it, and
 * is neither charged nor recorded.
 * @throws {AppError} `lab.not_found`, `archive.damaged`, `quota.actions`, `subscription.required`
 */
export async function openLabExam(
  deps: ObjectDeps,
  session: Session,
  input: { id: string; isDownload: boolean; isHead: boolean },
  origin: RequestOrigin,
): Promise<Response> {
  const { userId } = session;
  const { id, isDownload, isHead } = input;
  const exam = await findLabExam(deps.db, userId, id);
  if (!exam) throw new AppError(labExamNotFound);
  await checkAgain(deps, exam);
  const body = await openObject(deps, labObject(exam), { offset: 0, length: exam.sizeBytes });
  if (!isHead) await recordOpening(deps, { userId, id, isDownload }, origin);
  const fileName = `${fileNameOf(exam.name) || "exame"}.pdf`;
  return answerPdf(body, { sizeBytes: exam.sizeBytes, fileName, isDownload });
}

async function recordOpening(
  { db, clock }: Pick<ObjectDeps, "db" | "clock">,
  { userId, id, isDownload }: { userId: string; id: string; isDownload: boolean },
  origin: RequestOrigin,
): Promise<void> {
  const at = clock.now();
  const action = isDownload ? "lab.downloaded" : "lab.opened";
  await db.transaction(async (tx) => {
    if (isDownload) await chargeAction(tx, { userId, isAdmin: false }, { exam: "lab", kind: "download" }, at);
    await recordAudit(tx, { at, action, actorId: userId, accountId: userId, details: { id }, ...origin });
  });
}

/** Reads the whole exam again, since damaged bytes may have been restored from a backup. */
async function checkAgain(deps: ObjectDeps, exam: LabExamRow): Promise<void> {
  if (isUnsound(exam)) await checkLabExam(deps, exam.id);
}
