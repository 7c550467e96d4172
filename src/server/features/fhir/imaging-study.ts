import { fullPersonName } from "../../../shared/dicom/person-name.ts";
import { TagHex } from "../../../shared/dicom/tags.ts";
import type { SeriesRecord, StudyRecord } from "../dicomweb/dicomweb.catalogue.ts";
import {
  type Coding,
  DICOM_CODES,
  DICOM_UID,
  ENDPOINT,
  type FhirResource,
  fhirText,
  Profile,
} from "./fhir-resource.ts";
import { subjectOf } from "./patient.ts";

/** A study as an ImagingStudy (FHIR R4); its instances are read over DICOMweb. `changedAt`: when it last got some. */
export function imagingStudy(
  id: string,
  study: StudyRecord,
  series: readonly SeriesRecord[],
  changedAt: Date | undefined,
): FhirResource {
  const referrer = nameIn(study, TagHex.ReferringPhysicianName);
  const accession = fhirText(study.accessionNumber);
  const description = fhirText(study.studyDescription);
  return {
    resourceType: "ImagingStudy",
    id,
    meta: { profile: [Profile.imagingStudy], ...(changedAt && { lastUpdated: changedAt.toISOString() }) },
    ...subjectOf(study),
    identifier: [
      { use: "official", system: DICOM_UID, value: `urn:oid:${study.studyInstanceUID}` },
      ...(accession ? [accessionNumber(accession)] : []),
    ],
    status: "available",
    ...(study.modalitiesInStudy.length > 0 && { modality: study.modalitiesInStudy.map(modality) }),
    // Without the time: instances rarely say in which zone it is.
    ...(study.studyDate !== null && { started: study.studyDate }),
    ...(referrer && { referrer: { display: referrer } }),
    endpoint: [{ reference: `Endpoint/${ENDPOINT}` }],
    numberOfSeries: study.seriesCount,
    numberOfInstances: study.instanceCount,
    ...(description && { description }),
    ...(series.length > 0 && { series: series.map(presentSeries) }),
  };
}

function presentSeries(series: SeriesRecord): object {
  const { seriesNumber } = series;
  const description = fhirText(series.seriesDescription);
  const bodyPart = fhirText(series.attributes?.[TagHex.BodyPartExamined]?.Value?.[0]);
  return {
    uid: series.seriesInstanceUID,
    ...(seriesNumber !== null && seriesNumber >= 0 && { number: seriesNumber }),
    modality: modality(series.modality ?? "OT"),
    ...(description && { description }),
    numberOfInstances: series.instanceCount,
    ...(bodyPart && { bodySite: { display: bodyPart } }),
  };
}

function accessionNumber(value: string): object {
  const type = { coding: [{ system: "http://terminology.hl7.org/CodeSystem/v2-0203", code: "ACSN" }] };
  return { type, value };
}

function modality(code: string): Coding {
  return { system: DICOM_CODES, code: fhirText(code)?.replace(/ +/g, " ") ?? "OT" };
}

function nameIn({ attributes }: StudyRecord, tag: string): string | undefined {
  const value = attributes?.[tag]?.Value?.[0];
  if (typeof value !== "object" || value === null || !("Alphabetic" in value)) return undefined;
  return fullPersonName(fhirText(value.Alphabetic) ?? "") ?? undefined;
}
