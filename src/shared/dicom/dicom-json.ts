/** One element of the DICOM JSON model (PS3.18 annex F). */
export interface DicomJsonElement {
  vr: string;
  Value?: unknown[];
  InlineBinary?: string;
  BulkDataURI?: string;
}

/** A data set in the DICOM JSON model: key is the tag as eight upper-case hex digits. */
export type DicomJson = Record<string, DicomJsonElement>;
