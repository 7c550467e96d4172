import { type Context, Hono } from "hono";
import {
  deleteLabExamCall,
  downloadLabExamCall,
  labStatsCall,
  listLabExamsCall,
  uploadLabExamCall,
  viewLabExamCall,
} from "../../../shared/api/labs.ts";
import { isUuid } from "../../../shared/uuid.ts";
import type { Deps } from "../../deps.ts";
import { documentTooLarge, notPdf } from "../../documents/documents.errors.ts";
import type { PdfForms } from "../../documents/receive-pdf.ts";
import { uploadProcessLost } from "../../holdings/uploads/uploads.errors.ts";
import { AppError } from "../../http/app-error.ts";
import { describeIn } from "../../http/describe.ts";
import type { Guard } from "../../http/guard.ts";
import {
  archiveDamaged,
  furtherFileSent,
  rangeNotSatisfiable,
  unsupportedMediaType,
  versionDiffers,
} from "../../http/http.errors.ts";
import type { HttpEnv } from "../../http/http-context.ts";
import { idempotencyKeyOf, takesIdempotencyKey } from "../../http/idempotency-key.ts";
import { originOf } from "../../http/request-origin.ts";
import { parseWith } from "../../http/validate.ts";
import { createRecheck, whileAllowed } from "../../http/while-allowed.ts";
import { readLabUsage } from "../subscriptions/read-usage.ts";
import {
  actionLimitReached,
  examLimitReached,
  noSubscription,
  storageLimitReached,
} from "../subscriptions/subscriptions.errors.ts";
import { deleteLabExam } from "./delete-lab-exam.ts";
import { labExamNotFound, labKeyUsed } from "./labs.errors.ts";
import { listLabExams } from "./labs.repo.ts";
import { openLabExam } from "./open-lab-exam.ts";
import { presentLabExam } from "./present-lab-exam.ts";
import { uploadLabExam } from "./upload-lab-exam.ts";

const describe = describeIn("Laboratory exams");
const ownLabs = { roles: ["user"], subscription: "own", scope: "api" } as const;

export function createLabsRoutes(deps: Deps, guard: Guard, forms: PdfForms) {
  const routes = new Hono<HttpEnv>();
  const open = async (c: Context<HttpEnv>, { isDownload }: { isDownload: boolean }) => {
    const recheck = createRecheck(deps.elapsedMs, c.get("readmit"));
    const asked = { id: examId(c.req.param("id") ?? ""), isDownload, request: c.req.raw };
    return whileAllowed(c, await openLabExam(deps, c.get("session"), asked, originOf(c)), recheck);
  };

  routes.get(
    listLabExamsCall.path,
    guard(ownLabs),
    describe(listLabExamsCall, { summary: "List one's own laboratory exams" }),
    async (c) => {
      const rows = await listLabExams(deps.db, c.get("session").userId);
      return c.json(rows.map(presentLabExam));
    },
  );

  routes.get(
    labStatsCall.path,
    guard(ownLabs),
    describe(labStatsCall, {
      summary: "Read what the plan leaves for laboratory exams",
      problems: [noSubscription],
    }),
    async (c) => c.json(await readLabUsage(deps, c.get("session").userId)),
  );

  routes.post(
    uploadLabExamCall.path,
    guard(ownLabs),
    describe(uploadLabExamCall, {
      summary: "Upload a laboratory PDF",
      status: 201,
      details: "At most 50 MB.",
      takes: takesIdempotencyKey,
      fileType: "application/pdf",
      problems: [
        notPdf,
        furtherFileSent,
        labKeyUsed,
        examLimitReached,
        storageLimitReached,
        documentTooLarge,
        unsupportedMediaType,
        uploadProcessLost,
      ],
    }),
    async (c) => {
      const idempotencyKey = idempotencyKeyOf(c);
      const exam = await forms.receive(c, uploadLabExamCall.file, async ({ pdf, fields }) => {
        const upload = parseWith(uploadLabExamCall.form, fields, c.get("locale"));
        return await uploadLabExam(deps, c.get("session"), { ...upload, pdf, idempotencyKey }, originOf(c));
      });
      return c.json(exam, 201);
    },
  );

  routes.get(
    viewLabExamCall.path,
    guard(ownLabs),
    describe(viewLabExamCall, {
      summary: "Read a laboratory PDF, to show it",
      media: ["application/pdf"],
      problems: [labExamNotFound, archiveDamaged],
    }),
    (c) => open(c, { isDownload: false }),
  );

  routes.get(
    downloadLabExamCall.path,
    guard(ownLabs),
    describe(downloadLabExamCall, {
      summary: "Download a laboratory PDF",
      details:
        "Counts as one action of the month. HEAD is free, and so are further ranges (Range, If-Range) within an hour.",
      media: ["application/pdf"],
      also: { 206: "A range of it.", 304: "What the caller has is still good (If-None-Match)." },
      problems: [labExamNotFound, actionLimitReached, rangeNotSatisfiable, versionDiffers, archiveDamaged],
    }),
    (c) => open(c, { isDownload: true }),
  );

  routes.delete(
    deleteLabExamCall.path,
    guard(ownLabs),
    describe(deleteLabExamCall, {
      summary: "Delete a laboratory exam",
      details: "Counts as one action of the month. A second time it is 404.",
      problems: [labExamNotFound, actionLimitReached],
    }),
    async (c) => {
      await deleteLabExam(deps, c.get("session"), examId(c.req.param("id")), originOf(c));
      return c.json({ deleted: true });
    },
  );

  return routes;
}

function examId(text: string): string {
  if (!isUuid(text)) throw new AppError(labExamNotFound);
  return text;
}
