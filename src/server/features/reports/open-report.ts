import { answerPdf } from "../../documents/answer-pdf.ts";
import { type ObjectDeps, openObject } from "../../holdings/reading/open-object.ts";
import { openOnRecord } from "../../holdings/reading/open-on-record.ts";
import { answerNobody } from "../../http/answer-nobody.ts";
import { AppError } from "../../http/app-error.ts";
import type { RequestOrigin } from "../../http/request-origin.ts";
import { aboutStudy, recordAudit } from "../audit/audit.repo.ts";
import { findStudy } from "../studies/access/find-study.ts";
import { type Caller, noteSeen } from "../studies/studies.repo.ts";
import type { StudyRow } from "../studies/studies.table.ts";
import { reportNotFound } from "./reports.errors.ts";
import { findReport } from "./reports.repo.ts";

/** Who asks for a report. HEAD opens none, and is not recorded. */
interface ReportReading {
  request: Request;
  origin: RequestOrigin;
}

/** How a report is answered. */
export interface ReportForm {
  /** Refuses a PDF that is too long for the form, before anything is recorded. @throws {AppError} */
  assertFits?(sizeBytes: number): void;
  answer(pdf: Blob | ReadableStream<Uint8Array>, sizeBytes: number): Response;
}

const asPdf: ReportForm = {
  answer: (pdf, sizeBytes) => answerPdf(pdf, { sizeBytes, fileName: "laudo.pdf", isDownload: false }),
};

/** @throws {AppError} `study.not_found`, `report.not_found`, `archive.damaged` */
export async function openReport(
  deps: ObjectDeps,
  caller: Caller,
  reference: string,
  reading: ReportReading,
): Promise<Response> {
  return await openReportOf(deps, caller, await findStudy(deps.db, caller, reference), reading);
}

/** As {@link openReport}, for a study that the caller is known to see. */
export async function openReportOf(
  deps: ObjectDeps,
  caller: Caller,
  study: StudyRow,
  { request, origin }: ReportReading,
  form: ReportForm = asPdf,
): Promise<Response> {
  const now = deps.clock.now();
  const record = async () => {
    await recordAudit(deps.db, {
      at: now,
      action: "report.opened",
      actorId: caller.userId,
      ...aboutStudy(study),
      ...origin,
    });
    await noteSeen(deps.db, caller.userId, [study.id], now);
  };
  return await answerReport(deps, study, { request, record }, form);
}

/**
 * Answers the report of a study that the reader may see, once `record` has recorded that. HEAD opens none, and is not recorded; nor is a
 * report that can't be read, or whose reader has left.
 * @throws {AppError} `report.not_found`, `archive.damaged`
 */
export async function answerReport(
  deps: ObjectDeps,
  study: Pick<StudyRow, "id">,
  { request, record }: { request: Request; record(): Promise<void> },
  form: ReportForm = asPdf,
): Promise<Response> {
  const found = await findReport(deps.db, study.id);
  if (!found) throw new AppError(reportNotFound);
  const { sizeBytes } = found.object;
  form.assertFits?.(sizeBytes);
  const whole = { offset: 0, length: sizeBytes };
  const { signal, method } = request;
  const pdf = await openOnRecord(() => openObject(deps, found.object, whole, { signal }), {
    signal,
    record: async () => {
      if (method !== "HEAD") await record();
    },
  });
  return pdf ? form.answer(pdf, sizeBytes) : answerNobody();
}
