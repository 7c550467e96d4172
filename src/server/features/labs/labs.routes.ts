import { Hono } from "hono";
import { labUploadSchema } from "../../../shared/api/labs.ts";
import { isUuid } from "../../../shared/uuid.ts";
import type { Deps } from "../../deps.ts";
import type { PdfForms } from "../../documents/receive-pdf.ts";
import { AppError } from "../../http/app-error.ts";
import type { Guard } from "../../http/guard.ts";
import type { HttpEnv } from "../../http/http-context.ts";
import { originOf } from "../../http/request-origin.ts";
import { parseWith } from "../../http/validate.ts";
import { readLabUsage } from "../subscriptions/read-usage.ts";
import { deleteLabExam } from "./delete-lab-exam.ts";
import { labExamNotFound } from "./labs.errors.ts";
import { listLabExams } from "./labs.repo.ts";
import { openLabExam } from "./open-lab-exam.ts";
import { presentLabExam } from "./present-lab-exam.ts";
import { uploadLabExam } from "./upload-lab-exam.ts";

const ownLabs = { roles: ["user"], subscription: "own" } as const;

export function createLabsRoutes(deps: Deps, guard: Guard, forms: PdfForms) {
  const routes = new Hono<HttpEnv>();

  routes.get("/exams-lab", guard(ownLabs), async (c) => {
    const rows = await listLabExams(deps.db, c.get("session").userId);
    return c.json(rows.map(presentLabExam));
  });

  routes.get("/exams-lab/stats", guard(ownLabs), async (c) =>
    c.json(await readLabUsage(deps, c.get("session").userId)),
  );

  routes.post("/exams-lab/upload", guard(ownLabs), async (c) => {
    const exam = await forms.receive(c, "file", async ({ pdf, fields }) => {
      const upload = parseWith(labUploadSchema, fields, c.get("locale"));
      return await uploadLabExam(deps, c.get("session"), { ...upload, pdf }, originOf(c));
    });
    return c.json(exam, 201);
  });

  for (const isDownload of [false, true]) {
    routes.get(`/exams-lab/:id/${isDownload ? "download" : "view"}`, guard(ownLabs), (c) => {
      const input = { id: examId(c.req.param("id")), isDownload };
      return openLabExam(deps, c.get("session"), input, originOf(c));
    });
  }

  routes.delete("/exams-lab/:id", guard(ownLabs), async (c) => {
    await deleteLabExam(deps, c.get("session"), examId(c.req.param("id")), originOf(c));
    return c.json({ deleted: true });
  });

  return routes;
}

function examId(text: string): string {
  if (!isUuid(text)) throw new AppError(labExamNotFound);
  return text;
}
