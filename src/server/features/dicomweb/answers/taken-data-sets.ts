import type { Context } from "hono";
import { acceptOf, DATA_SET_VARY, type DataSetForm, negotiateDataSets } from "./media-types.ts";
import type { Version } from "./unless-known.ts";

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

/** The version of metadata in a form; its tag is weak, since codings differ. */
export function versionIn(form: DataSetForm, version: string): Version {
  return { etag: form === "json" ? `W/"${version}"` : `W/"${version}.${form}"`, vary: DATA_SET_VARY };
}
