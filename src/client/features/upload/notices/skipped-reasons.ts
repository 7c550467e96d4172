import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";

/** Why a file of an upload was left out, by the server's reason. */
const skippedReasons: Record<string, MessageDescriptor> = {
  not_dicom: msg({ id: "skipped.not_dicom", message: "Not a DICOM file" }),
  dicomdir: msg({ id: "skipped.dicomdir", message: "Index of the disc (DICOMDIR), not needed" }),
  ignored_name: msg({ id: "skipped.name", message: "Left out for its name" }),
  "instance.no_uid": msg({ id: "skipped.instance.no_uid", message: "DICOM file without its identifiers" }),
  "instance.bad_uid": msg({ id: "skipped.instance.bad_uid", message: "DICOM file with invalid identifiers" }),
  "instance.truncated": msg({
    id: "skipped.instance.truncated",
    message: "Damaged: the file ends too early",
  }),
  "instance.too_complex": msg({
    id: "skipped.instance.too_complex",
    message: "DICOM file with a structure beyond the limits",
  }),
  "instance.too_many_variants": msg({
    id: "skipped.instance.too_many_variants",
    message: "Too many different images with one identifier",
  }),
  "series.damaged": msg({
    id: "skipped.series.damaged",
    message: "Its series is damaged here: send the whole series to repair it",
  }),
  "study.other": msg({ id: "skipped.study.other", message: "Of another exam" }),
  "zip.crc": msg({ id: "skipped.zip.crc", message: "Damaged inside the ZIP (wrong checksum)" }),
  "zip.malformed": msg({ id: "skipped.zip.malformed", message: "Damaged inside the ZIP" }),
  "zip.encrypted": msg({ id: "skipped.zip.encrypted", message: "Protected by a password" }),
  "zip.method": msg({ id: "skipped.zip.method", message: "Compressed in an unknown way" }),
  "zip.nested": msg({
    id: "skipped.zip.nested",
    message: "A ZIP inside the ZIP: extract it and send it by itself",
  }),
  "zip.too_large": msg({ id: "skipped.zip.too_large", message: "Too large once extracted" }),
};

const otherReason = msg({ id: "skipped.other", message: "Could not be read" });

export function skippedReason(reason: string): MessageDescriptor {
  return skippedReasons[reason] ?? otherReason;
}
