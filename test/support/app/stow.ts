import type { DicomJson } from "../../../src/shared/dicom/reading/instance.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import type { Person, TestApp } from "./test-app.ts";

export const STOW_BOUNDARY = "limite-do-corpo";

/** A body of `multipart/related` with one part for each file. */
export function stowBody(
  files: readonly Uint8Array[],
  partType = "application/dicom",
): Uint8Array<ArrayBuffer> {
  const parts = files.flatMap((file) => [
    Buffer.from(`--${STOW_BOUNDARY}\r\nContent-Type: ${partType}\r\n\r\n`),
    file,
    Buffer.from("\r\n"),
  ]);
  return Uint8Array.from(Buffer.concat([...parts, Buffer.from(`--${STOW_BOUNDARY}--\r\n`)]));
}

/** Sends files by STOW-RS. */
export async function stow(
  t: TestApp,
  person: Person,
  files: readonly Uint8Array[],
  study?: string,
): Promise<Response> {
  return await t.call("POST", `/dicomweb/studies${study === undefined ? "" : `/${study}`}`, {
    as: person,
    body: stowBody(files),
    headers: STOW_HEADERS,
  });
}

export const STOW_HEADERS = {
  "content-type": `multipart/related; type="application/dicom"; boundary=${STOW_BOUNDARY}`,
  accept: "application/dicom+json",
};

/** As {@link stow}, to a server of its own. */
export async function stowTo(url: string, token: string, files: readonly Uint8Array[]): Promise<Response> {
  const authorization = `Bearer ${token}`;
  return await fetch(`${url}/dicomweb/studies`, {
    method: "POST",
    headers: { ...STOW_HEADERS, authorization },
    body: stowBody(files),
  });
}

const items = (body: DicomJson, tag: string) => (body[tag]?.Value ?? []) as DicomJson[];

/** SOP Instance UIDs of what was stored, and reasons (hex) of what was not. */
export async function outcomeOf(answer: Response) {
  const body = (await answer.json()) as DicomJson;
  return {
    status: answer.status,
    stored: items(body, TagHex.ReferencedSOPSequence).map(
      (item) => item[TagHex.ReferencedSOPInstanceUID]?.Value?.[0],
    ),
    warnings: items(body, TagHex.ReferencedSOPSequence).flatMap(
      (item) => item[TagHex.WarningReason]?.Value ?? [],
    ),
    failed: items(body, TagHex.FailedSOPSequence).map((item) =>
      Number(item[TagHex.FailureReason]?.Value?.[0]).toString(16),
    ),
    body,
  };
}
