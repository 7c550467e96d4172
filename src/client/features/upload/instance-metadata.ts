import { type DataSet, parseDicom } from "dicom-parser";
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
import { inflateHead } from "./inflate-head.ts";

const PREAMBLE_BYTES = 128;
const IMPLICIT_LITTLE_ENDIAN = "1.2.840.10008.1.2";
const EXPLICIT_LITTLE_ENDIAN = "1.2.840.10008.1.2.1";
const PIXEL_DATA = "x7fe00010";
const MAX_INFLATED_BYTES = 4 * 1024 * 1024;

/** Whether a file that begins so may be an instance: `DICM` at its place, or a data set without a preamble. */
export function looksLikeInstance(head: Uint8Array): boolean {
  return hasPreamble(head) || bareTransferSyntax(head) !== undefined;
}

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

function hasPreamble(head: Uint8Array): boolean {
  return String.fromCharCode(...head.subarray(PREAMBLE_BYTES, PREAMBLE_BYTES + 4)) === "DICM";
}

/** A bare data set begins with group 0002 or 0008, little endian; a VR in letters tells explicit from implicit. */
function bareTransferSyntax(head: Uint8Array): string | undefined {
  const [group, groupHigh] = head;
  if (head.length < 8 || groupHigh !== 0 || (group !== 0x08 && group !== 0x02)) return undefined;
  const vr = String.fromCharCode(...head.subarray(4, 6));
  return /^[A-Z]{2}$/.test(vr) ? EXPLICIT_LITTLE_ENDIAN : IMPLICIT_LITTLE_ENDIAN;
}

function parseHead(head: Uint8Array): DataSet | undefined {
  const bare = hasPreamble(head) ? undefined : bareTransferSyntax(head);
  const options = { untilTag: PIXEL_DATA, inflater, ...(bare && { TransferSyntaxUID: bare }) };
  try {
    return parseDicom(head, options);
  } catch (failure) {
    return readBeforeFailure(failure);
  }
}

/**
 * The parser throws texts, Errors of its own making, or an object with what it had read: a head always ends
 * somewhere inside the instance, and the values wanted come before that.
 */
function readBeforeFailure(failure: unknown): DataSet | undefined {
  return typeof failure === "object" && failure !== null && "dataSet" in failure
    ? (failure.dataSet as DataSet)
    : undefined;
}

/** For a deflated data set: the parser wants the header as it was, followed by the inflated rest. */
function inflater(bytes: Uint8Array, position: number): Uint8Array {
  const rest = inflateHead(bytes.subarray(position), MAX_INFLATED_BYTES) ?? new Uint8Array(0);
  const whole = new Uint8Array(position + rest.length);
  whole.set(bytes.subarray(0, position));
  whole.set(rest, position);
  return whole;
}

function characterSetOfDataSet(dataSet: DataSet): CharacterSet {
  const named = readText(dataSet, "x00080005", DEFAULT_CHARACTER_SET, "paragraph");
  return named ? characterSetOf(named) : DEFAULT_CHARACTER_SET;
}

/** The first value of a text element without its padding, or the empty text. */
function readText(dataSet: DataSet, tag: string, charset: CharacterSet, kind: TextKind): string {
  const element = dataSet.elements[tag];
  if (!element || element.length > dataSet.byteArray.length) return "";
  const bytes = dataSet.byteArray.subarray(element.dataOffset, element.dataOffset + element.length);
  const text = decodeText(bytes as Uint8Array, charset, kind);
  const value = kind === "paragraph" ? text : (text.split("\\")[0] ?? "");
  return value.replace(/^[ \0]+|[ \0]+$/g, "");
}
