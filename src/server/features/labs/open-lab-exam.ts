import { answerPdf, answerPdfInRanges } from "../../documents/answer-pdf.ts";
import { isUnsound } from "../../holdings/checking/integrity.ts";
import { type ObjectDeps, openObject } from "../../holdings/reading/open-object.ts";
import { openOnRecord } from "../../holdings/reading/open-on-record.ts";
import { answerNobody } from "../../http/answer-nobody.ts";
import { AppError } from "../../http/app-error.ts";
import { asksForParts, satisfiedRange } from "../../http/byte-range.ts";
import { fileNameOf } from "../../http/file-name.ts";
import { assertNamedVersion, isKnownVersion } from "../../http/known-version.ts";
import type { RequestOrigin } from "../../http/request-origin.ts";
import type { Session } from "../../http/session.ts";
import type { ByteRange } from "../../storage/object-store.ts";
import { recordAudit, wasLabDownloadedSince } from "../audit/audit.repo.ts";
import { chargeAction, FREE_RANGES_MS } from "../subscriptions/charge-action.ts";
import { lockSubscription } from "../subscriptions/subscriptions.repo.ts";
import { checkLabExam } from "./check-lab-exam.ts";
import { labObject } from "./lab-object.ts";
import { labExamNotFound } from "./labs.errors.ts";
import { findLabExam, type LabExamRow } from "./labs.repo.ts";

/**
 * Opens a lab exam to view, which is free, or to download, which costs one lab action of the month; its further ranges within the
 * hour are free. HEAD sends nothing of it, and is neither charged nor recorded; nor is a request whose client has left.
 * @throws {AppError} `lab.not_found`, `archive.damaged`, 416, `quota.actions`, `subscription.required`
 */
export async function openLabExam(
  deps: ObjectDeps,
  session: Session,
  input: { id: string; isDownload: boolean; request: Request },
  origin: RequestOrigin,
): Promise<Response> {
  const { userId } = session;
  const { id, isDownload, request } = input;
  const exam = await findLabExam(deps.db, userId, id);
  if (!exam) throw new AppError(labExamNotFound);
  await checkAgain(deps, exam);
  const { sizeBytes } = exam;
  const document = { sizeBytes, fileName: `${fileNameOf(exam.name) || "exame"}.pdf`, isDownload };
  const whole = { offset: 0, length: sizeBytes };
  const { signal } = request;
  const open = (range: ByteRange, isRange: boolean) =>
    openOnRecord(() => openObject(deps, labObject(exam), range, { signal }), {
      signal,
      record: async () => {
        if (request.method !== "HEAD") await recordOpening(deps, { userId, id, isDownload, isRange }, origin);
      },
    });
  if (!isDownload) {
    const shown = await open(whole, false);
    return shown ? answerPdf(shown, document) : answerNobody();
  }
  const etag = `"${exam.sha256.slice(0, 32)}"`;
  assertNamedVersion(request.headers.get("if-match"), etag);
  if (isKnownVersion(request.headers.get("if-none-match"), etag))
    return new Response(null, { status: 304, headers: { ETag: etag, "Cache-Control": "private, no-store" } });
  const range = satisfiedRange(request, etag, sizeBytes);
  const body = await open(range ?? whole, asksForParts(request.headers, etag));
  if (!body) return answerNobody();
  return answerPdfInRanges(body, { ...document, etag, range }, request);
}

async function recordOpening(
  { db, clock }: Pick<ObjectDeps, "db" | "clock">,
  { userId, id, isDownload, isRange }: { userId: string; id: string; isDownload: boolean; isRange: boolean },
  origin: RequestOrigin,
): Promise<void> {
  const at = clock.now();
  const action = isDownload ? "lab.downloaded" : "lab.opened";
  const freeSince = new Date(at.getTime() - FREE_RANGES_MS);
  await db.transaction(async (tx) => {
    if (isRange) {
      // Ranges requested at once are one download: with the lock, the second request sees that the first was counted.
      await lockSubscription(tx, userId);
      if (await wasLabDownloadedSince(tx, { actorId: userId, labExamId: id }, freeSince)) return;
    }
    if (isDownload) await chargeAction(tx, { userId, isAdmin: false }, { exam: "lab", kind: "download" }, at);
    await recordAudit(tx, { at, action, actorId: userId, accountId: userId, details: { id }, ...origin });
  });
}

/** Reads the whole exam again, since damaged bytes may have been restored from a backup. */
async function checkAgain(deps: ObjectDeps, exam: LabExamRow): Promise<void> {
  if (isUnsound(exam)) await checkLabExam(deps, exam.id);
}
