import type { DataSet } from "dicom-parser";
import {
  type CharacterSet,
  characterSetOf,
  DEFAULT_CHARACTER_SET,
  decodeText,
  type TextKind,
} from "../../../shared/dicom/character-set.ts";
import { isoDate, isoTime } from "../../../shared/dicom/date.ts";
import { fullPersonName } from "../../../shared/dicom/person-name.ts";
import { isUid } from "../../../shared/dicom/uid.ts";
import type { ExamForm } from "./exam-form.ts";
import { parseHead } from "./parse-head.ts";

/**
 * What the upload form is filled with, from the first bytes of an instance. Undefined where they hold no
 * readable Study Instance UID (a DICOMDIR has none either).
 */
export function readInstanceMetadata(head: Uint8Array): ExamForm | undefined {
  const dataSet = parseHead(head);
  if (!dataSet) return undefined;
  const charset = characterSetOfDataSet(dataSet);
  const text = (tag: string, kind: TextKind = "values") => readText(dataSet, tag, charset, kind);
  const studyInstanceUID = text("x0020000d");
  if (!isUid(studyInstanceUID)) return undefined;
  const studyDate = isoDate(text("x00080020"));
  return {
    patientName: fullPersonName(text("x00100010", "personName")) ?? "",
    patientIDTag: text("x00100020"),
    patientBirthDate: isoDate(text("x00100030")) ?? "",
    patientGender: /^[MFO]$/.test(text("x00100040")) ? text("x00100040") : "",
    accessionNumber: text("x00080050"),
    description: text("x00081030"),
    examinedAt: studyDate ? `${studyDate}T${timeOfDay(text("x00080030"))}` : "",
    modality: text("x00080060"),
    studyInstanceUID,
    institutionName: text("x00080080"),
  };
}

function timeOfDay(tm: string): string {
  return isoTime(tm)?.slice(0, 5) ?? "00:00";
}

function characterSetOfDataSet(dataSet: DataSet): CharacterSet {
  const named = readText(dataSet, "x00080005", DEFAULT_CHARACTER_SET, "paragraph");
  return named ? characterSetOf(named) : DEFAULT_CHARACTER_SET;
}

/** The first value of a text element without its padding, or the empty text. */
function readText(dataSet: DataSet, tag: string, charset: CharacterSet, kind: TextKind): string {
  const element = dataSet.elements[tag];
  if (!element) return "";
  const bytes = dataSet.byteArray.subarray(element.dataOffset, element.dataOffset + element.length);
  const text = decodeText(bytes as Uint8Array, charset, kind);
  const value = kind === "paragraph" ? text : (text.split("\\")[0] ?? "");
  return value.replace(/^[ \0]+|[ \0]+$/g, "");
}
