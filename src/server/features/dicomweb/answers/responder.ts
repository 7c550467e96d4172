import type { Context } from "hono";
import { isUid } from "../../../../shared/dicom/uid.ts";
import { AppError } from "../../../http/app-error.ts";
import { notFound } from "../../../http/http.errors.ts";
import { createRecheck, whileAllowed } from "../../../http/while-allowed.ts";
import { type InstancePath, oneInstance } from "../catalogue/catalogue-paths.ts";
import type { DicomwebAccess } from "../dicomweb-access.ts";

/** What the routes have in common: how they open an instance, name resources, and send what is long. */
export function createResponder(access: DicomwebAccess) {
  const { resolve, baseUrl } = access;

  async function openInstance(c: Context, path: InstancePath) {
    const isSeries = isUid(path.study) && isUid(path.series);
    const series = { studyInstanceUID: path.study, seriesInstanceUID: path.series };
    const catalogue = await resolve(c, isSeries ? series : undefined);
    const instance = await oneInstance(catalogue, path);
    if (instance) return { catalogue, instance };
    // What was looked up along with the caller may be older than an upload that was acknowledged.
    const fresh = await resolve(c);
    const added = await oneInstance(fresh, path);
    if (!added) throw new AppError(notFound);
    return { catalogue: fresh, instance: added };
  }

  const baseName = baseUrl === undefined ? undefined : new URL(baseUrl).hostname;
  /**
   * The address of a study or series; the caller has checked its UIDs. Undefined if answers name no addresses. Also undefined if
   * the client reached the server by another name: the address might not work for that client.
   */
  const urlOf = (c: Context, study: string, series?: string) =>
    baseName === undefined || new URL(c.req.url).hostname !== baseName
      ? undefined
      : `${baseUrl}/studies/${study}${series === undefined ? "" : `/series/${series}`}`;
  /** The address of a series that was found, as its metadata have it; without the server where these name none. */
  const seriesUrlOf = (c: Context, study: string, series: string) => {
    const [mount = ""] = c.req.path.split("/studies/", 1);
    return urlOf(c, study, series) ?? `${mount}/studies/${study}/series/${series}`;
  };
  const instanceUrlOf = (c: Context, { study, series, instance }: InstancePath) =>
    `${seriesUrlOf(c, study, series)}/instances/${instance}`;
  /** The address of a series, by which parts name their files and frames. Undefined for viewers: their answers name no address. */
  const namedSeriesUrlOf = (c: Context, study: string, series: string) =>
    baseUrl === undefined ? undefined : seriesUrlOf(c, study, series);
  const namedInstanceUrlOf = (c: Context, path: InstancePath) =>
    baseUrl === undefined ? undefined : instanceUrlOf(c, path);
  const sendWhile = (assertAllowed: (c: Context) => Promise<void>) => (c: Context, response: Response) =>
    whileAllowed(
      c,
      response,
      createRecheck(access.elapsedMs, () => assertAllowed(c)),
    );
  const { assertStillVisible, assertStillRetrievable = assertStillVisible } = access;
  const sendWhileVisible = sendWhile(assertStillVisible);
  /** Of whole files, and of all their long values. */
  const sendWhileRetrievable = sendWhile(assertStillRetrievable);
  return {
    openInstance,
    urlOf,
    seriesUrlOf,
    instanceUrlOf,
    namedSeriesUrlOf,
    namedInstanceUrlOf,
    sendWhileVisible,
    sendWhileRetrievable,
  };
}

export type Responder = ReturnType<typeof createResponder>;
