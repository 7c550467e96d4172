import type { QidoQuery, SeriesQuery, SeriesRecord, StudyRecord } from "./dicomweb.catalogue.ts";

/** Filters a short list of studies, such as those of a viewer token, by a query. */
export function matchStudies(studies: StudyRecord[], query: QidoQuery): StudyRecord[] {
  const { studyInstanceUIDs, patientName, patientID, accessionNumber, studyDate, modalitiesInStudy } = query;
  return studies
    .filter(
      (study) =>
        (!studyInstanceUIDs || studyInstanceUIDs.includes(study.studyInstanceUID)) &&
        (!patientName || matchesWildcard(study.patientName ?? "", patientName)) &&
        (!patientID || study.patientID === patientID) &&
        (!accessionNumber || study.accessionNumber === accessionNumber) &&
        (!studyDate?.from || (study.studyDate !== null && study.studyDate >= studyDate.from)) &&
        (!studyDate?.to || (study.studyDate !== null && study.studyDate <= studyDate.to)) &&
        (!modalitiesInStudy || modalitiesInStudy.some((code) => study.modalitiesInStudy.includes(code))),
    )
    .slice(query.offset, query.offset + query.limit);
}

export function matchSeries(series: SeriesRecord[], query: SeriesQuery): SeriesRecord[] {
  return series
    .filter(
      ({ seriesInstanceUID, modality }) =>
        (!query.seriesInstanceUIDs || query.seriesInstanceUIDs.includes(seriesInstanceUID)) &&
        (!query.modality || modality === query.modality),
    )
    .slice(query.offset, query.offset + query.limit);
}

/** Wildcard matching (PS3.4 §C.2.2.2.4) in linear time, whatever the pattern. */
function matchesWildcard(value: string, pattern: string): boolean {
  const text = value.toLowerCase();
  const wanted = pattern.toLowerCase();
  let at = 0;
  let wantedAt = 0;
  let star = -1;
  let starAt = 0;
  while (at < text.length) {
    if (wanted[wantedAt] === "*") {
      star = wantedAt++;
      starAt = at;
    } else if (wanted[wantedAt] === "?" || wanted[wantedAt] === text[at]) {
      at++;
      wantedAt++;
    } else if (star >= 0) {
      wantedAt = star + 1;
      at = ++starAt;
    } else {
      return false;
    }
  }
  while (wanted[wantedAt] === "*") wantedAt++;
  return wantedAt === wanted.length;
}
