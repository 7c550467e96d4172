import type { Context } from "hono";
import { parseQido, type QidoQuery } from "../qido/parse-qido.ts";
import type { Level } from "../qido/qido-attributes.ts";
import { acceptOf, type DataSetForm, negotiateDataSets } from "./media-types.ts";

/** What a client takes: the form of data sets, and the codings of answers. */
export interface TakenDataSets {
  form: DataSetForm;
  acceptEncoding: string | undefined;
}

/** @throws {AppError} 406 */
export function takenOf(c: Context, isOne = false): TakenDataSets {
  return { form: negotiateDataSets(acceptOf(c), isOne), acceptEncoding: c.req.header("accept-encoding") };
}

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

/** The entity tag of metadata in a form; weak, since codings differ. */
export function versionIn(form: DataSetForm, version: string): string {
  return form === "json" ? `W/"${version}"` : `W/"${version}.${form}"`;
}
