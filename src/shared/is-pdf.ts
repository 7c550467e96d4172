import { latin1Text } from "./dicom/reading/latin1-text.ts";

const MARK = "%PDF-";
/** A file is a PDF if it has the mark within its first kilobyte, as PDF readers accept it. */
export const MARK_WITHIN_BYTES = 1024;

/** Whether a file that begins so is a PDF. */
export function isPdf(start: Uint8Array): boolean {
  return latin1Text(start.subarray(0, MARK_WITHIN_BYTES)).includes(MARK);
}
