import { isUid } from "../../../../shared/dicom/uid.ts";
import type { ExamForm } from "../exam-form/exam-form.ts";
import { metadataOf } from "./instance-metadata.ts";
import { parseHead, parserTag } from "./parse-head.ts";

/** Which study and series an instance belongs to, and where in the series it is. */
export interface InstancePlace {
  about: ExamForm;
  seriesInstanceUID: string;
  /** Empty if it has none that can be read. */
  sopInstanceUID: string;
  /** Whether its frames are a film, rather than slices. */
  isVideo: boolean;
  /** 0 if it has none. */
  instanceNumber: number;
}

/** Modalities whose frames are the pictures of a film, not slices. */
const FILMED = new Set(["US", "IVUS", "XA", "RF", "ES", "XC"]);

/** Undefined if these first bytes of a file hold no readable study and series. */
export function readInstancePlace(head: Uint8Array): InstancePlace | undefined {
  const dataSet = parseHead(head);
  const about = dataSet && metadataOf(dataSet);
  const seriesInstanceUID = dataSet?.string(parserTag("SeriesInstanceUID")) ?? "";
  if (!dataSet || !about || !isUid(seriesInstanceUID)) return undefined;
  const instanceNumber = Number.parseInt(dataSet.string(parserTag("InstanceNumber")) ?? "", 10);
  const sopInstanceUID = dataSet.string(parserTag("SOPInstanceUID")) ?? "";
  const frames = Number.parseInt(dataSet.string(parserTag("NumberOfFrames")) ?? "", 10);
  return {
    about,
    seriesInstanceUID,
    sopInstanceUID: isUid(sopInstanceUID) ? sopInstanceUID : "",
    isVideo: frames > 1 && FILMED.has(about.modality),
    instanceNumber: Number.isNaN(instanceNumber) ? 0 : instanceNumber,
  };
}
