import Tokenizer from "@streamparser/json/tokenizer.js";
import type { Pieces } from "../../../archive/pieces.ts";
import type { ContentCoding } from "../../../http/content-coding.ts";
import { streamOf } from "../../../http/stream-of.ts";
import { archiveHeaders } from "../answers/archive-headers.ts";
import { DATA_SET_VARY, type DataSetForm, DICOM_XML } from "../answers/media-types.ts";
import { framedParts, type PartFrame } from "../answers/multipart-related.ts";
import { packedPieces } from "../answers/packing.ts";
import { NativeModelWriter } from "./native-model-writer.ts";

/**
 * Answers data sets in XML while they are read: each Native DICOM Model in a part of its own, or the only one as a document.
 * @param json an array of data sets in DICOM JSON
 */
export function nativeModelsResponse(
  json: Pieces,
  form: Exclude<DataSetForm, "json">,
  coding: ContentCoding,
): Response {
  const frame = form === "parts" ? framedParts(DICOM_XML) : undefined;
  const xml = packedPieces(nativeModels(json, frame), coding);
  return new Response(streamOf(xml), {
    headers: {
      ...archiveHeaders(frame?.contentType ?? DICOM_XML),
      Vary: DATA_SET_VARY,
      ...(coding !== "identity" && { "Content-Encoding": coding }),
    },
  });
}

/** JSON that is read in one go: about a millisecond, and a few on a slow machine. */
const STEP_BYTES = 32 * 1024;

/** The models of an array of data sets, with the text around parts if they are some. */
async function* nativeModels(json: Pieces, frame: PartFrame | undefined): AsyncGenerator<Uint8Array> {
  const writer = new NativeModelWriter(() => frame?.startPart({ contentType: DICOM_XML }) ?? "");
  const tokenizer = new Tokenizer();
  tokenizer.onToken = ({ token, value }) => writer.write(token, value);
  tokenizer.onError = (error) => {
    throw error;
  };
  for await (const piece of json) {
    for (let at = 0; at < piece.length; at += STEP_BYTES) {
      tokenizer.write(piece.subarray(at, at + STEP_BYTES));
      const text = writer.take();
      if (text !== "") yield Buffer.from(text);
    }
  }
  if (!writer.isWhole) throw new Error("the metadata end before their end");
  if (frame) yield Buffer.from(frame.end());
}
