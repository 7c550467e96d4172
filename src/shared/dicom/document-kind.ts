import { ENCAPSULATED_CDA, ENCAPSULATED_PDF } from "./sop-class.ts";
import { isStructuredReport } from "./structured-report.ts";

/** A PDF, a structured report, or a clinical document in XML, which is only saved: its style sheet is of others and might run. */
export type DocumentKind = "pdf" | "report" | "cda";

/** What instances of a class are read as; undefined if they are no documents. */
export function documentKindOf(sopClassUID: string): DocumentKind | undefined {
  if (sopClassUID === ENCAPSULATED_PDF) return "pdf";
  if (sopClassUID === ENCAPSULATED_CDA) return "cda";
  return isStructuredReport(sopClassUID) ? "report" : undefined;
}
