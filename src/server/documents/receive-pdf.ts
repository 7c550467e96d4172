import type { Context } from "hono";
import { isPdf } from "../../shared/is-pdf.ts";
import type { Deps } from "../deps.ts";
import { AppError } from "../http/app-error.ts";
import type { HttpEnv } from "../http/http-context.ts";
import { createSenderSlots } from "../http/sender-slots.ts";
import { createRecheck } from "../http/while-allowed.ts";
import { Turns } from "../runtime/turns.ts";
import { documentTooLarge, notPdf } from "./documents.errors.ts";
import { receiveForm } from "./receive-form.ts";

const MAX_PDF_BYTES = 50 * 1024 * 1024;
const FORM_BYTES = 1024 * 1024;

export interface PdfForm {
  pdf: Uint8Array;
  /** The other fields, as text. */
  fields: Record<string, string>;
}

/** Takes in forms with a PDF in `fieldName`, checked by its bytes, and stores them one after the other. */
export interface PdfForms {
  /**
   * @throws {AppError} `document.not_pdf`, `document.too_large`, 415, 429; 401 and 403 if the sender may not send any more once it has
   *   come; what `store` throws
   */
  receive<Result>(
    c: Context<HttpEnv>,
    fieldName: string,
    store: (form: PdfForm) => Promise<Result>,
  ): Promise<Result>;
}

/** Bodies are spooled to disk; only one PDF at a time is in memory, while it is stored. */
export function createPdfForms(deps: Pick<Deps, "node" | "elapsedMs">): PdfForms {
  const slots = createSenderSlots({ perSender: 4, perProcess: 24 });
  const turns = new Turns();
  return {
    async receive(c, fileField, store) {
      if (Number(c.req.header("content-length") ?? 0) > MAX_PDF_BYTES + FORM_BYTES) {
        throw new AppError(documentTooLarge);
      }
      const rules = { fileField, maxFileBytes: MAX_PDF_BYTES, tooLarge: documentTooLarge };
      const recheck = createRecheck(deps.elapsedMs, c.get("readmit"));
      using slot = await slots.take(c.get("session").userId);
      c.get("admitBody")();
      await using form = await receiveForm(deps, c.req.raw, slot, rules);
      const { file, fields } = form;
      if (!file) throw new AppError(notPdf);
      return await turns.run(async () => {
        const pdf = await file.read();
        if (!isPdf(pdf)) throw new AppError(notPdf);
        await recheck();
        return await store({ pdf, fields });
      });
    },
  };
}
