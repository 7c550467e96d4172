import type { Locale } from "../../../shared/locale.ts";
import { ReportUnreadable } from "../../../shared/structured-report/content-items.ts";
import { structuredReportHtml } from "../../../shared/structured-report/structured-report.tsx";
import { i18n } from "../../i18n.ts";
import { SourceUnreachable, SourceUnreadable } from "../core/source.ts";
import type { LocalDocument } from "./local-files.ts";

const TYPES = { pdf: "application/pdf", cda: "text/xml" } as const;

/**
 * A document of this device as the server would answer it.
 * @param locale of the page of a report: that of the page around it, since no other texts are here
 * @throws {SourceUnreadable}
 */
export function documentPage(document: LocalDocument, locale: Locale): Blob {
  if (document.kind !== "report") return new Blob([document.bytes], { type: TYPES[document.kind] });
  try {
    const html = structuredReportHtml(document.report, {
      locale,
      say: ({ id, message }, values) => i18n._(id, values, { message }),
    });
    return new Blob([html], { type: "text/html" });
  } catch (error) {
    throw error instanceof ReportUnreadable ? new SourceUnreadable(error.message) : error;
  }
}

/** @param reason the name of the reader's error, which is of another thread */
export function failureOf(reason: string): Error {
  return reason === "SourceUnreadable" ? new SourceUnreadable(reason) : new SourceUnreachable(reason);
}
