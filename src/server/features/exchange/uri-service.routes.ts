import { Hono } from "hono";
import { AppError } from "../../http/app-error.ts";
import { describeIn } from "../../http/describe.ts";
import type { Guard } from "../../http/guard.ts";
import {
  archiveDamaged,
  forbidden,
  heldByAnotherNode,
  notAcceptable,
  notFound,
} from "../../http/http.errors.ts";
import type { HttpEnv } from "../../http/http-context.ts";
import { validate } from "../../http/validate.ts";
import { HTML, PDF } from "../dicomweb/answers/media-types.ts";
import { notDrawable, tooManyReads } from "../dicomweb/dicomweb.errors.ts";
import { URI_SERVICE, uriQuerySchema } from "../dicomweb/uri-service.ts";

const describe = describeIn("DICOMweb");

/**
 * The URI Service (WADO-URI, PS3.18 §9), for sessions and access tokens. `routedPath` hands what can be read of it to the Studies
 * Service, so this route describes the service and answers what is refused.
 */
export function createUriServiceRoutes(guard: Guard) {
  return new Hono<HttpEnv>().get(
    URI_SERVICE,
    guard({ subscription: "viewing", scope: "dicomweb:read" }),
    describe(
      {},
      {
        summary: "Read an instance or a picture of it (WADO-URI)",
        details:
          "For programs that know no WADO-RS; it answers as that does. `contentType=application/dicom` brings the file as it was received, or in the `transferSyntax` that WADO-RS has it in. Any other brings a picture of the frame `frameNumber` (else of the middle one), an Encapsulated PDF, or a structured report as HTML. Without `contentType` the header `Accept` decides, and image/jpeg comes where it doesn't. `region` is `left,top,right,bottom` as fractions of the image's sides. `anonymize=yes` and presentation states are refused; `annotation` and `charset` change nothing; `Warning` names the annotations that are missing.",
        media: ["application/dicom", "image/jpeg", "image/png", "image/gif", PDF, HTML],
        also: {
          206: "A range of the PDF.",
          304: "It is as `If-None-Match` says.",
          416: "The PDF has no such range.",
        },
        problems: [
          notFound,
          forbidden,
          notAcceptable,
          notDrawable,
          tooManyReads,
          archiveDamaged,
          heldByAnotherNode,
        ],
      },
    ),
    validate("query", uriQuerySchema),
    () => {
      throw new AppError(notFound);
    },
  );
}
