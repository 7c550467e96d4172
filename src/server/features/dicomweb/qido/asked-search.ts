import type { Context } from "hono";
import { acceptOf, type DataSetForm, negotiateDataSets } from "../answers/media-types.ts";
import { parseQido, type QidoQuery } from "./parse-qido.ts";
import type { Level } from "./qido-attributes.ts";

/** A search, and the form of its answer. */
export interface AskedSearch {
  query: QidoQuery;
  /** What a result is about: attributes of these levels are in it. */
  levels: readonly Level[];
  form: DataSetForm;
}

/** @throws {AppError} 406 or 400 */
export function askedOf(c: Context, levels: readonly Level[]): AskedSearch {
  const form = negotiateDataSets(acceptOf(c));
  return { form, query: parseQido(new URL(c.req.url).searchParams, levels), levels };
}
