import { Hono } from "hono";
import { deleteReportCall, readReportCall, uploadReportCall } from "../../../shared/api/studies.ts";
import type { Deps } from "../../deps.ts";
import { documentTooLarge, notPdf } from "../../documents/documents.errors.ts";
import type { PdfForms } from "../../documents/receive-pdf.ts";
import { uploadProcessLost } from "../../holdings/uploads/uploads.errors.ts";
import { describeIn } from "../../http/describe.ts";
import type { Guard } from "../../http/guard.ts";
import { archiveDamaged, furtherFileSent, unsupportedMediaType } from "../../http/http.errors.ts";
import type { HttpEnv } from "../../http/http-context.ts";
import { idempotencyKeyOf, takesIdempotencyKey } from "../../http/idempotency-key.ts";
import { originOf } from "../../http/request-origin.ts";
import { parseWith } from "../../http/validate.ts";
import { createRecheck, whileAllowed } from "../../http/while-allowed.ts";
import { findStudy } from "../studies/access/find-study.ts";
import { studyAmbiguous, studyNotFound, studyNotOwner } from "../studies/studies.errors.ts";
import { storageLimitReached } from "../subscriptions/subscriptions.errors.ts";
import { deleteReport } from "./delete-report.ts";
import { openReport } from "./open-report.ts";
import { reportExists, reportNotFound } from "./reports.errors.ts";
import { uploadReport } from "./upload-report.ts";

const describe = describeIn("Reports");
const viewing = { subscription: "viewing", scope: "api" } as const;

/** `:study` is our id or a Study Instance UID, as everywhere. */
export function createReportsRoutes(deps: Deps, guard: Guard, forms: PdfForms) {
  const routes = new Hono<HttpEnv>();

  routes.post(
    uploadReportCall.path,
    guard(viewing),
    describe(uploadReportCall, {
      summary: "Attach a report to a study",
      status: 201,
      details: "One PDF of at most 50 MB; `studyInstanceUID` takes the study's `id` as well.",
      takes: takesIdempotencyKey,
      fileType: "application/pdf",
      problems: [
        furtherFileSent,
        notPdf,
        studyNotFound,
        studyAmbiguous,
        reportExists,
        documentTooLarge,
        unsupportedMediaType,
        storageLimitReached,
        uploadProcessLost,
      ],
    }),
    async (c) => {
      const idempotencyKey = idempotencyKeyOf(c);
      await forms.receive(c, uploadReportCall.file, async ({ pdf, fields }) => {
        const { studyInstanceUID: reference } = parseWith(uploadReportCall.form, fields, c.get("locale"));
        await uploadReport(deps, c.get("session"), { reference, pdf, idempotencyKey }, originOf(c));
      });
      return c.json({ uploaded: true }, 201);
    },
  );

  routes.get(
    readReportCall.path,
    guard(viewing),
    describe(readReportCall, {
      summary: "Read the report of a study",
      media: ["application/pdf"],
      problems: [reportNotFound, studyNotFound, studyAmbiguous, archiveDamaged],
    }),
    async (c) => {
      const reference = c.req.param("study");
      const recheck = createRecheck(deps.elapsedMs, async () =>
        findStudy(deps.db, await c.get("readmit")(), reference),
      );
      const reading = { request: c.req.raw, origin: originOf(c) };
      return whileAllowed(c, await openReport(deps, c.get("session"), reference, reading), recheck);
    },
  );

  routes.delete(
    deleteReportCall.path,
    guard(viewing),
    describe(deleteReportCall, {
      summary: "Delete the report of a study",
      details: "A second time it is 404.",
      problems: [reportNotFound, studyNotFound, studyAmbiguous, studyNotOwner],
    }),
    async (c) => {
      await deleteReport(deps, c.get("session"), c.req.param("study"), originOf(c));
      return c.json({ deleted: true });
    },
  );

  return routes;
}
