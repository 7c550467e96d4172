import { fullPersonName } from "../../../shared/dicom/person-name.ts";
import type { StudyRecord } from "../dicomweb/dicomweb.catalogue.ts";
import { patientNameElement } from "../dicomweb/qido/qido-json.ts";
import { type FhirResource, fhirText } from "./fhir-resource.ts";

const GENDERS: Readonly<Record<string, string>> = { M: "male", F: "female", O: "other" };

/** How a name is written, by DICOM's component group (PS3.5 §6.2.1.2) and by the code of FHIR's `iso21090-EN-representation`. */
const WRITTEN = [
  ["Alphabetic", "ABC"],
  ["Ideographic", "IDE"],
  ["Phonetic", "SYL"],
] as const;
const REPRESENTATION = "http://hl7.org/fhir/StructureDefinition/iso21090-EN-representation";

/**
 * The subject of a study, as its instances name it. There are no patients apart from studies, so the Patient is contained.
 */
export function subjectOf(study: StudyRecord): { contained: FhirResource[]; subject: object } {
  const { patientBirthDate, patientSex } = study;
  const patientID = fhirText(study.patientID);
  const names = namesOf(study);
  const [name] = names;
  const identifier = patientID && { value: patientID };
  const patient: FhirResource = {
    resourceType: "Patient",
    id: "patient",
    ...(identifier && { identifier: [identifier] }),
    ...(name && { name: names }),
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

/** The patient's name, once for each way in which it is written. */
function namesOf(study: StudyRecord) {
  const groups = patientNameElement(study).Value?.[0];
  if (typeof groups !== "object" || groups === null) return [];
  const written = WRITTEN.flatMap(([group, code]) => {
    const text = fhirText((groups as Record<string, unknown>)[group]);
    const name = text ? humanName(text, code) : null;
    return name ? [{ code, name }] : [];
  });
  const isAlphabetic = written.every(({ code }) => code === "ABC");
  return written.map(({ code, name }) =>
    isAlphabetic ? name : { extension: [{ url: REPRESENTATION, valueCode: code }], ...name },
  );
}

/** PS3.5 §6.2.1: family, given and middle names, prefix and suffix between carets. Only alphabetic names are spoken given name first. */
function humanName(pn: string, code: "ABC" | "IDE" | "SYL") {
  const parts = pn.split("^").map((part) => part.trim());
  const text = code === "ABC" ? fullPersonName(pn) : parts.filter(Boolean).join(" ");
  if (!text) return null;
  const [family, given, middle, prefix, suffix] = parts;
  const givens = [given, middle].filter(Boolean);
  return {
    text,
    ...(family && { family }),
    ...(givens.length > 0 && { given: givens }),
    ...(prefix && { prefix: [prefix] }),
    ...(suffix && { suffix: [suffix] }),
  };
}
