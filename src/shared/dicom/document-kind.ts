import { ENCAPSULATED_PDF } from "./sop-class.ts";
import { isStructuredReport } from "./structured-report.ts";

/** A PDF, or a structured report. */
export type DocumentKind = "pdf" | "report";

/** What instances of a class are read as; undefined if they are no documents. */
export function documentKindOf(sopClassUID: string): DocumentKind | undefined {
  if (sopClassUID === ENCAPSULATED_PDF) return "pdf";
  return isStructuredReport(sopClassUID) ? "report" : undefined;
}
