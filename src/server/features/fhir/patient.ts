import { fullPersonName } from "../../../shared/dicom/person-name.ts";
import type { StudyRecord } from "../dicomweb/dicomweb.catalogue.ts";
import type { FhirResource } from "./fhir-resource.ts";

const GENDERS: Readonly<Record<string, string>> = { M: "male", F: "female", O: "other" };

/**
 * The subject of a study, as its instances name it. There are no patients apart from studies, so the Patient is contained.
 */
export function subjectOf(study: StudyRecord): { contained: FhirResource[]; subject: object } {
  const { patientName, patientID, patientBirthDate, patientSex } = study;
  const name = patientName === null ? null : humanName(patientName);
  const identifier = patientID === null ? undefined : { value: patientID };
  const patient: FhirResource = {
    resourceType: "Patient",
    id: "patient",
    ...(identifier && { identifier: [identifier] }),
    ...(name && { name: [name] }),
    ...(patientSex && { gender: GENDERS[patientSex.toUpperCase()] ?? "unknown" }),
    ...(patientBirthDate && { birthDate: patientBirthDate }),
  };
  return {
    contained: [patient],
    subject: {
      reference: "#patient",
      type: "Patient",
      ...(identifier && { identifier }),
      ...(name && { display: name.text }),
    },
  };
}

/** PS3.5 §6.2.1: family, given and middle names, prefix and suffix between carets. */
function humanName(pn: string) {
  const text = fullPersonName(pn);
  if (text === null) return null;
  const [family, given, middle, prefix, suffix] = (pn.split("=")[0] ?? "")
    .split("^")
    .map((part) => part.trim());
  const givens = [given, middle].filter(Boolean);
  return {
    text,
    ...(family && { family }),
    ...(givens.length > 0 && { given: givens }),
    ...(prefix && { prefix: [prefix] }),
    ...(suffix && { suffix: [suffix] }),
  };
}
