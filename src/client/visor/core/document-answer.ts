import { lengthOf, readBounded } from "./read-bounded.ts";
import { type DocumentReading, type InstanceUIDs, SourceCutOff, SourceUnreadable } from "./source.ts";

/** As much as a laudo may have, and a little more. */
export const MAX_DOCUMENT_BYTES = 64 * 1024 * 1024;
/** What a document is read as. */
const DOCUMENT_TYPES = ["application/pdf", "text/html", "text/xml"];

type Request = (path: string, init: RequestInit) => Promise<Response>;

/** Asks DICOMweb for a document as it is read. */
export async function askForDocument(
  request: Request,
  { studyInstanceUID, seriesInstanceUID, sopInstanceUID }: InstanceUIDs,
  { language, signal }: DocumentReading,
): Promise<Blob> {
  const path = `/studies/${studyInstanceUID}/series/${seriesInstanceUID}/instances/${sopInstanceUID}/rendered`;
  const headers = { Accept: DOCUMENT_TYPES.join(", "), "Accept-Language": language };
  return await readDocumentOf(await request(path, { headers, signal }));
}

/** @throws {SourceUnreadable} if it is no document, or longer than one that is shown; {SourceCutOff} */
async function readDocumentOf(response: Response): Promise<Blob> {
  const said = response.headers.get("Content-Type") ?? "";
  const type = DOCUMENT_TYPES.find((one) => said.startsWith(one));
  if (!type || lengthOf(response) > MAX_DOCUMENT_BYTES) {
    await response.body?.cancel();
    throw new SourceUnreadable(said);
  }
  try {
    return new Blob([await readBounded(response, MAX_DOCUMENT_BYTES)], { type });
  } catch (error) {
    if (error instanceof RangeError) throw new SourceUnreadable(error.message);
    throw error instanceof TypeError ? new SourceCutOff(error.message) : error;
  }
}
