import type { DicomJson, DicomJsonElement } from "./instance.ts";

/**
 * DICOM JSON as text, the attributes of each data set in the order of their tags (PS3.18 §F.2.2). An object can't keep that order by
 * itself: tags without a letter and a leading zero come first in it.
 */
export function dataSetText(json: DicomJson): string {
  return isInOrder(json) ? JSON.stringify(json) : orderedText(json);
}

function orderedText(json: DicomJson): string {
  const members = Object.entries(json).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([tag, element]) => `"${tag}":${elementText(element)}`).join(",")}}`;
}

function elementText(element: DicomJsonElement): string {
  const items = itemsOf(element);
  if (!items) return JSON.stringify(element);
  return `{"vr":"SQ","Value":[${items.map((item) => dataSetText(item)).join(",")}]}`;
}

function isInOrder(json: DicomJson): boolean {
  let last = "";
  for (const [tag, element] of Object.entries(json)) {
    if (tag < last || itemsOf(element)?.every(isInOrder) === false) return false;
    last = tag;
  }
  return true;
}

function itemsOf({ vr, Value }: DicomJsonElement): DicomJson[] | undefined {
  return vr === "SQ" && Value ? (Value as DicomJson[]) : undefined;
}
