import type { DicomJson } from "../../../shared/dicom/dicom-json.ts";
import { documentKindOf } from "../../../shared/dicom/document-kind.ts";
import { numberOf, shownTextOf, textOf } from "../../../shared/dicom/json-values.ts";
import { TagHex } from "../../../shared/dicom/tags.ts";
import type { DocumentRecord, SeriesRecord } from "./source.ts";
import { hasPixels } from "./stacks.ts";

/** More documents than a person looks through. */
const MAX_DOCUMENTS = 500;

/** The documents among the instances of a series, by their numbers. */
export function findDocuments(series: SeriesRecord, instances: readonly DicomJson[]): DocumentRecord[] {
  return instances
    .flatMap((instance) => {
      const sopClassUID = textOf(instance[TagHex.SOPClassUID]) ?? "";
      const kind = hasPixels(instance) ? undefined : documentKindOf(sopClassUID);
      return kind ? [{ instance, kind }] : [];
    })
    .sort((a, b) => instanceNumber(a.instance) - instanceNumber(b.instance))
    .slice(0, MAX_DOCUMENTS)
    .map(({ instance, kind }) => {
      const sopInstanceUID = textOf(instance[TagHex.SOPInstanceUID]) ?? "";
      const title = titleOf(instance) || series.description;
      return { key: sopInstanceUID, series, sopInstanceUID, kind, title };
    });
}

/** The title of an encapsulated document (PS3.3 §C.24.2), or the name of a report's concept. */
function titleOf(instance: DicomJson): string {
  const [concept] = instance[TagHex.ConceptNameCodeSequence]?.Value ?? [];
  const meaning =
    concept && typeof concept === "object" ? (concept as DicomJson)[TagHex.CodeMeaning] : undefined;
  return shownTextOf(instance[TagHex.DocumentTitle]) || shownTextOf(meaning) || "";
}

function instanceNumber(instance: DicomJson): number {
  return numberOf(instance[TagHex.InstanceNumber]) ?? 0;
}
