import type { Context } from "hono";
import { acceptOf, type DataSetForm, negotiateDataSets } from "./media-types.ts";

/** What a client takes: the form of data sets, and the codings of answers. */
export interface TakenDataSets {
  form: DataSetForm;
  acceptEncoding: string | undefined;
}

/**
 * @param isOne whether the answer is a single data set
 * @throws {AppError} 406
 */
export function takenOf(c: Context, isOne = false): TakenDataSets {
  return { form: negotiateDataSets(acceptOf(c), isOne), acceptEncoding: c.req.header("accept-encoding") };
}

/** The entity tag of metadata in a form; weak, since codings differ. */
export function versionIn(form: DataSetForm, version: string): string {
  return form === "json" ? `W/"${version}"` : `W/"${version}.${form}"`;
}
