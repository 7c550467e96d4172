const REPORTS = "1.2.840.10008.5.1.4.1.1.88.";
/** Implantation plans, prescriptions of spectacles, and thicknesses of the macula. */
const OTHER_REPORTS: ReadonlySet<string> = new Set(
  ["70.1", "78.6", "79.1"].map((tail) => `1.2.840.10008.5.1.4.1.1.${tail}`),
);

/** Whether instances of the class are structured reports (PS3.4 §B.5), such as dose reports, measurements and key objects. */
export function isStructuredReport(sopClassUID: string): boolean {
  return sopClassUID.startsWith(REPORTS) || OTHER_REPORTS.has(sopClassUID);
}
