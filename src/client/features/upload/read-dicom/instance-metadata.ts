import type { DataSet } from "dicom-parser";
import {
  type CharacterSet,
  characterSetOf,
  DEFAULT_CHARACTER_SET,
  decodeText,
  type TextKind,
} from "../../../../shared/dicom/character-set.ts";
import { isoDate, isoTime } from "../../../../shared/dicom/date.ts";
import { fullPersonName } from "../../../../shared/dicom/person-name.ts";
import type { Keyword } from "../../../../shared/dicom/tags.ts";
import { isUid } from "../../../../shared/dicom/uid.ts";
import type { ExamForm } from "../exam-form/exam-form.ts";
import { parseHead, parserTag } from "./parse-head.ts";

/**
 * The values that fill the upload form, read from the first bytes of an instance. Undefined if the bytes hold no readable
 * Study Instance UID, as in a DICOMDIR.
 */
export function readInstanceMetadata(head: Uint8Array): ExamForm | undefined {
  const dataSet = parseHead(head);
  return dataSet && metadataOf(dataSet);
}

/** The same of a data set that is parsed already. */
export function metadataOf(dataSet: DataSet): ExamForm | undefined {
  const charset = characterSetOfDataSet(dataSet);
  const text = (keyword: Keyword, kind: TextKind = "values") => readText(dataSet, keyword, charset, kind);
  const studyInstanceUID = text("StudyInstanceUID");
  if (!isUid(studyInstanceUID)) return undefined;
  const studyDate = isoDate(text("StudyDate"));
  return {
    patientName: fullPersonName(text("PatientName", "personName")) ?? "",
    patientIDTag: text("PatientID"),
    patientBirthDate: isoDate(text("PatientBirthDate")) ?? "",
    patientGender: /^[MFO]$/.test(text("PatientSex")) ? text("PatientSex") : "",
    accessionNumber: text("AccessionNumber"),
    description: text("StudyDescription"),
    examinedAt: studyDate ? `${studyDate}T${timeOfDay(text("StudyTime"))}` : "",
    modality: text("Modality"),
    studyInstanceUID,
    institutionName: text("InstitutionName"),
  };
}

function timeOfDay(tm: string): string {
  return isoTime(tm)?.slice(0, 5) ?? "00:00";
}

function characterSetOfDataSet(dataSet: DataSet): CharacterSet {
  const named = readText(dataSet, "SpecificCharacterSet", DEFAULT_CHARACTER_SET, "paragraph");
  return named ? characterSetOf(named) : DEFAULT_CHARACTER_SET;
}

/** The first value of a text element without padding, or the empty string. */
function readText(dataSet: DataSet, keyword: Keyword, charset: CharacterSet, kind: TextKind): string {
  const element = dataSet.elements[parserTag(keyword)];
  if (!element) return "";
  const bytes = dataSet.byteArray.subarray(element.dataOffset, element.dataOffset + element.length);
  const text = decodeText(bytes as Uint8Array, charset, kind);
  const value = kind === "paragraph" ? text : (text.split("\\")[0] ?? "");
  return value.replace(/^[ \0]+|[ \0]+$/g, "");
}
