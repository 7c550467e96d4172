import type { StudyRecord } from "../dicomweb/dicomweb.catalogue.ts";
import { type FhirResource, fhirText, Profile } from "./fhir-resource.ts";
import { subjectOf } from "./patient.ts";

export interface ReportFacts {
  createdAt: Date;
  sizeBytes: number;
}

/** The report (laudo) of a study as a DiagnosticReport (FHIR R4), which has the study's id. */
export function diagnosticReport(
  id: string,
  study: StudyRecord,
  report: ReportFacts,
  fhirUrl: string,
): FhirResource {
  const { studyDescription, studyDate } = study;
  const issued = report.createdAt.toISOString();
  return {
    resourceType: "DiagnosticReport",
    id,
    meta: { profile: [Profile.diagnosticReport], lastUpdated: issued },
    ...subjectOf(study),
    status: "final",
    code: {
      coding: [{ system: "http://loinc.org", code: "18748-4", display: "Diagnostic imaging study" }],
      text: fhirText(studyDescription) ?? "Laudo",
    },
    ...(studyDate !== null && { effectiveDateTime: studyDate }),
    issued,
    imagingStudy: [{ reference: `ImagingStudy/${id}`, type: "ImagingStudy" }],
    presentedForm: [
      {
        contentType: "application/pdf",
        url: `${fhirUrl}/Binary/${id}`,
        size: report.sizeBytes,
        title: "Laudo",
        creation: issued,
      },
    ],
  };
}
