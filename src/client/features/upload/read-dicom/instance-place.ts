import { isUid } from "../../../../shared/dicom/uid.ts";
import type { ExamForm } from "../exam-form/exam-form.ts";
import { metadataOf } from "./instance-metadata.ts";
import { parseHead, parserTag } from "./parse-head.ts";

/** Which study and series an instance belongs to, and where in the series it is. */
export interface InstancePlace {
  about: ExamForm;
  seriesInstanceUID: string;
  /** 0 if it has none. */
  instanceNumber: number;
}

/** Undefined if these first bytes of a file hold no readable study and series. */
export function readInstancePlace(head: Uint8Array): InstancePlace | undefined {
  const dataSet = parseHead(head);
  const about = dataSet && metadataOf(dataSet);
  const seriesInstanceUID = dataSet?.string(parserTag("SeriesInstanceUID")) ?? "";
  if (!dataSet || !about || !isUid(seriesInstanceUID)) return undefined;
  const instanceNumber = Number.parseInt(dataSet.string(parserTag("InstanceNumber")) ?? "", 10);
  return { about, seriesInstanceUID, instanceNumber: Number.isNaN(instanceNumber) ? 0 : instanceNumber };
}
