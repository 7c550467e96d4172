import { Hono } from "hono";
import { reportUploadSchema } from "../../../shared/api/studies.ts";
import type { Deps } from "../../deps.ts";
import type { PdfForms } from "../../documents/receive-pdf.ts";
import type { Guard } from "../../http/guard.ts";
import type { HttpEnv } from "../../http/http-context.ts";
import { originOf } from "../../http/request-origin.ts";
import { parseWith } from "../../http/validate.ts";
import { deleteReport } from "./delete-report.ts";
import { openReport } from "./open-report.ts";
import { uploadReport } from "./upload-report.ts";

const viewing = { subscription: "viewing" } as const;

/** `:study` is our id or a Study Instance UID, as everywhere. */
export function createReportsRoutes(deps: Deps, guard: Guard, forms: PdfForms) {
  const routes = new Hono<HttpEnv>();

  routes.post("/studies/laudo/upload", guard(viewing), async (c) => {
    await forms.receive(c, "laudo", async ({ pdf, fields }) => {
      const { studyInstanceUID } = parseWith(reportUploadSchema, fields, c.get("locale"));
      await uploadReport(deps, c.get("session"), { reference: studyInstanceUID, pdf }, originOf(c));
    });
    return c.json({ uploaded: true }, 201);
  });

  routes.get("/studies/laudo/:study", guard(viewing), (c) =>
    openReport(deps, c.get("session"), c.req.param("study"), originOf(c)),
  );

  routes.delete("/studies/laudo/:study", guard(viewing), async (c) => {
    await deleteReport(deps, c.get("session"), c.req.param("study"), originOf(c));
    return c.json({ deleted: true });
  });

  return routes;
}
