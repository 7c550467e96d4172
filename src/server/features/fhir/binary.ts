import { giveUp, type Pieces, piecesOf, type StreamedBody } from "../../archive/pieces.ts";
import { AppError } from "../../http/app-error.ts";
import { notAcceptable } from "../../http/http.errors.ts";
import { streamOf } from "../../http/stream-of.ts";
import type { ReportForm } from "../reports/open-report.ts";
import { FHIR_JSON } from "./capability-statement.ts";

/** The largest PDF that comes inside a resource, whose reader holds it as text; any comes as it is. */
export const MAX_BINARY_BYTES = 10 * 1024 * 1024;

/** A report as the resource Binary (FHIR R4 §2.44), written while the PDF is read. Its id is that of its study. */
export function binaryForm(id: string): ReportForm {
  return {
    /** @throws {AppError} 406 for a PDF that comes only as it is */
    assertFits(sizeBytes) {
      if (sizeBytes > MAX_BINARY_BYTES) throw new AppError(notAcceptable);
    },
    answer(body, sizeBytes) {
      const start = `{"resourceType":"Binary","id":"${id}","contentType":"application/pdf","data":"`;
      const length = start.length + 4 * Math.ceil(sizeBytes / 3) + END.length;
      return new Response(
        streamOf(jsonPieces(start, body), () => giveUp(body)),
        {
          headers: {
            "Content-Type": `${FHIR_JSON}; charset=utf-8`,
            "Content-Length": String(length),
            "Cache-Control": "private, no-store",
            Vary: "Accept",
          },
        },
      );
    },
  };
}

const END = '"}';

async function* jsonPieces(start: string, body: StreamedBody): AsyncGenerator<Uint8Array> {
  try {
    yield Buffer.from(start);
    yield* base64Pieces(piecesOf(body));
  } finally {
    await giveUp(body);
  }
  yield Buffer.from(END);
}

/** Three bytes are four letters, wherever the pieces are cut. */
async function* base64Pieces(pieces: Pieces): AsyncGenerator<Uint8Array> {
  let held = Buffer.alloc(0);
  for await (const piece of pieces) {
    const bytes = Buffer.concat([held, piece]);
    const whole = bytes.length - (bytes.length % 3);
    if (whole > 0) yield Buffer.from(bytes.toString("base64", 0, whole));
    held = Buffer.from(bytes.subarray(whole));
  }
  if (held.length > 0) yield Buffer.from(held.toString("base64"));
}
