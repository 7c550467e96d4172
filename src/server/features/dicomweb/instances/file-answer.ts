import { TransferSyntax } from "../../../../shared/dicom/transfer-syntax.ts";
import { archiveHeaders } from "../answers/archive-headers.ts";
import type { Representation } from "../answers/media-types.ts";
import { isInMemory, type OnePart, onePartRelated } from "../answers/multipart-related.ts";

/** The value of `ETag` for a file of that name. In parts it is weak, since two answers differ in their boundaries. */
export function fileVersion(name: string, { multipart }: Pick<Representation, "multipart">): string {
  return multipart ? `W/"${name}.parts"` : `"${name}"`;
}

/** The type of a file as the whole body. Without a parameter it means Explicit VR Little Endian (PS3.18 §8.7.3.2). */
export function fileType(type: string, syntax: string): string {
  return syntax === TransferSyntax.explicitLittleEndian ? type : `${type}; transfer-syntax=${syntax}`;
}

/** Answers a file that was written anew in a transfer syntax: in a part, or as the whole body. */
export function fileResponse(
  body: OnePart,
  { syntax, sizeBytes }: { syntax: string; sizeBytes: number },
  { multipart, type, location }: Representation,
): Response {
  if (multipart) {
    const head = { contentType: `${type}; transfer-syntax=${syntax}`, location };
    const related = onePartRelated(type, head, body);
    return new Response(related.body, {
      headers: { ...archiveHeaders(related.contentType), Vary: "Accept" },
    });
  }
  return new Response((isInMemory(body) ? body.bytes : body) as BodyInit, {
    headers: {
      ...archiveHeaders(fileType(type, syntax)),
      "Content-Length": String(sizeBytes),
      Vary: "Accept",
    },
  });
}
