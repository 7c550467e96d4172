import { type Context, Hono, type MiddlewareHandler } from "hono";
import { isUid } from "../../../shared/dicom/uid.ts";
import type { ManifestInstance } from "../../archive/manifest.ts";
import { AppError } from "../../http/app-error.ts";
import { notFound } from "../../http/http.errors.ts";
import { isKnownVersion } from "../../http/known-version.ts";
import { createRecheck, whileAllowed } from "../../http/while-allowed.ts";
import type { Clock } from "../../runtime/clock.ts";
import { goOn } from "../../runtime/go-on.ts";
import { type AskedSearch, askedOf, takenOf, versionIn } from "./answers/asked.ts";
import { acceptOf } from "./answers/media-types.ts";
import { bulkDataResponse } from "./bulk-data/bulk-data.ts";
import {
  allSeries,
  type InstancePath,
  instancesOf,
  metadataOf,
  oneInstance,
  referenceIn,
  seriesManifest,
  seriesMetadata,
  uid,
} from "./catalogue/catalogue-paths.ts";
import { type DicomwebDocument, describeDicomweb } from "./describe-dicomweb.ts";
import type { DicomwebCatalogue, Retrieval, SeriesRecord, StoredMetadata } from "./dicomweb.catalogue.ts";
import type { SeriesUIDs } from "./dicomweb.repo.ts";
import { framesResponse, isOneSmallFrame, isSmall } from "./frames/frames.ts";
import { copiedInstanceResponse, findCopiedInstance } from "./instances/copied-instance.ts";
import { instancesResponse, instanceVersion } from "./instances/instances.ts";
import {
  instanceMetadataResponse,
  MAX_AT_ONCE_BYTES,
  seriesMetadataResponse,
  studyMetadataResponse,
} from "./metadata/metadata.ts";
import { seriesJson, studyJson } from "./qido/qido-json.ts";
import { searchInstances } from "./qido/search-instances.ts";
import {
  type Found,
  isLarge,
  matchesLevel,
  pageOf,
  searchedSeries,
  searchResponse,
} from "./qido/search-response.ts";

/** The most series of one study whose instances a search reads. */
const MAX_SEARCHED_SERIES = 1_000;

export interface DicomwebAccess {
  /**
   * Resolves the caller. It runs for each request, so an expired token ends an open viewer. With `series`, the series that the
   * request is about, it can look that up in the same statement. That answer may be 10 ms old: the series may have grown since.
   * @throws {AppError} if the caller has no access
   */
  resolve(c: Context, series?: SeriesUIDs): Promise<DicomwebCatalogue>;
  /**
   * Refuses a caller who may not retrieve whole files, before anything is read or said of them. It asks nobody; what only the database
   * knows is up to `allowRetrieval`.
   * @throws {AppError}
   */
  assertRetrievable?(retrieval: Retrieval, catalogue: DicomwebCatalogue): void;
  /** Called before the first byte of whole files. @throws {AppError} if the caller may not retrieve them */
  allowRetrieval(c: Context, retrieval: Retrieval): Promise<void>;
  /** Asks again whether the caller may see the study of the path, while an answer of many parts is sent. @throws {AppError} */
  assertStillVisible(c: Context): Promise<void>;
  clock: Clock;
  /** Runs before each route, if a guard resolves the caller. */
  guard?: MiddlewareHandler;
  document: DicomwebDocument;
  /** Whether there is a search over all studies of the catalogue; every other route names its study. */
  hasSearch: boolean;
  /** The address by which answers name studies, series and instances; none for a viewer. */
  baseUrl?: string;
  /** Whether a search without a result is answered without a body (PS3.18 table 10.6.3-1), not by an empty list. */
  answersNoContent?: boolean;
}

/** QIDO-RS and WADO-RS (PS3.18 §10.4, §10.6) over what one caller may see. */
export function createDicomwebRoutes(access: DicomwebAccess) {
  const { resolve } = access;
  const described = describeDicomweb(access.document);
  const routes = new Hono();
  const front: MiddlewareHandler = access.guard ?? ((_c, next) => next());

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

  const { baseUrl, answersNoContent = false } = access;
  const baseName = baseUrl === undefined ? undefined : new URL(baseUrl).hostname;
  /**
   * The address of a study or series; the caller has checked its UIDs. Undefined if answers name no addresses. Also undefined if
   * the client reached the server by another name: the address might not work for that client.
   */
  const urlOf = (c: Context, study: string, series?: string) =>
    baseName === undefined || new URL(c.req.url).hostname !== baseName
      ? undefined
      : `${baseUrl}/studies/${study}${series === undefined ? "" : `/series/${series}`}`;
  /** The address of an instance that was found, as its metadata have it; without the server where these name none. */
  const instanceUrlOf = (c: Context, { study, series, instance }: InstancePath) => {
    const [mount = ""] = c.req.path.split("/studies/", 1);
    const seriesUrl = urlOf(c, study, series) ?? `${mount}/studies/${study}/series/${series}`;
    return `${seriesUrl}/instances/${instance}`;
  };
  const sendWhileVisible = (c: Context, response: Response) =>
    whileAllowed(
      c,
      response,
      createRecheck(access.clock, () => access.assertStillVisible(c)),
    );
  const sendMetadata = (c: Context, { inflatedBytes }: StoredMetadata, response: Response) =>
    inflatedBytes > MAX_AT_ONCE_BYTES ? sendWhileVisible(c, response) : response;
  const sendInstance = (c: Context, instance: ManifestInstance, response: Response) =>
    isSmall(instance) ? response : sendWhileVisible(c, response);
  const answer = async (c: Context, found: Found, asked: AskedSearch) => {
    const response = await searchResponse(found, { ...asked, answersNoContent, request: c.req.raw });
    return isLarge(found) ? sendWhileVisible(c, response) : response;
  };

  if (access.hasSearch)
    routes.get("/studies", front, described.searchStudies, async (c) => {
      const catalogue = await resolve(c);
      const asked = askedOf(c, ["study"]);
      const studies = (await catalogue.studies()).map((study) => studyJson(study, baseUrl));
      return answer(c, pageOf(studies, asked.query, "study"), asked);
    });

  routes.get("/studies/:study/series", front, described.searchSeries, async (c) => {
    const catalogue = await resolve(c);
    const asked = askedOf(c, ["series"]);
    const series = await allSeries(catalogue, c.req.param("study"));
    const reference = referenceIn(c);
    const known = series.map((one) => seriesJson({ ...one, reference }, baseUrl));
    return answer(c, pageOf(known, asked.query, "series"), asked);
  });

  routes.get("/studies/:study/instances", front, described.studyInstances, async (c) => {
    const catalogue = await resolve(c);
    const asked = askedOf(c, ["series", "instance"]);
    const { query, levels } = asked;
    const series = await allSeries(catalogue, c.req.param("study"));
    const reference = referenceIn(c);
    const searched = series
      .map((one) => ({ ...one, reference }))
      .map((one) => ({ record: one, known: seriesJson(one, baseUrl) }))
      .filter(({ known }) => matchesLevel(known, query, "series"))
      .map(({ record, known }) => searchedSeries(catalogue, record, known));
    const limits = {
      maxSeries: MAX_SEARCHED_SERIES,
      maxLists: MAX_SEARCHED_SERIES,
      levels,
      ...catalogue.searching,
    };
    return answer(c, await searchInstances(searched, { query, baseUrl, ...limits }), asked);
  });

  routes.get("/studies/:study/series/:series/instances", front, described.seriesInstances, async (c) => {
    const catalogue = await resolve(c);
    const asked = askedOf(c, ["instance"]);
    const { query, levels } = asked;
    const manifest = await seriesManifest(catalogue, c.req.param("study"), c.req.param("series"));
    const record = { ...manifest, instanceCount: manifest.instances.length, reference: referenceIn(c) };
    const searched = [searchedSeries(catalogue, record, {})];
    const limits = { maxSeries: 1, maxLists: 1, levels, ...catalogue.searching };
    return answer(c, await searchInstances(searched, { query, baseUrl, ...limits }), asked);
  });

  routes.get("/studies/:study/metadata", front, described.studyMetadata, async (c) => {
    const catalogue = await resolve(c);
    const taken = takenOf(c);
    const series = await allSeries(catalogue, c.req.param("study"));
    return unlessKnown(c, versionIn(taken.form, versionOf(series)), async () => {
      // What can't be read at all fails before the answer begins.
      const all = metadataOf(catalogue, series);
      const metadata = goOn(await all.next(), all);
      return sendWhileVisible(c, studyMetadataResponse(metadata, taken, urlOf(c, c.req.param("study"))));
    });
  });

  routes.get("/studies/:study/series/:series/metadata", front, described.seriesMetadata, async (c) => {
    const catalogue = await resolve(c);
    const taken = takenOf(c);
    const stored = await seriesMetadata(catalogue, c.req.param("study"), c.req.param("series"));
    const url = urlOf(c, c.req.param("study"), c.req.param("series"));
    return unlessKnown(c, versionIn(taken.form, stored.version), async () =>
      sendMetadata(c, stored, await seriesMetadataResponse(stored, taken, url)),
    );
  });

  routes.get(
    "/studies/:study/series/:series/instances/:instance/metadata",
    front,
    described.instanceMetadata,
    async (c) => {
      const catalogue = await resolve(c);
      const taken = takenOf(c, true);
      const sopInstanceUID = uid(c.req.param("instance"));
      const stored = await seriesMetadata(catalogue, c.req.param("study"), c.req.param("series"));
      if (!(await stored.rangeOf(sopInstanceUID))) throw new AppError(notFound);
      const url = urlOf(c, c.req.param("study"), c.req.param("series"));
      return unlessKnown(c, versionIn(taken.form, stored.version), () =>
        instanceMetadataResponse(stored, sopInstanceUID, taken, url),
      );
    },
  );

  routes.get(
    "/studies/:study/series/:series/instances/:instance/frames/:frames",
    front,
    described.frames,
    async (c) => {
      const path = c.req.param();
      const { catalogue, instance } = await openInstance(c, path);
      const frames = await framesResponse(catalogue, instance, path.frames, {
        accept: acceptOf(c),
        range: c.req.header("range"),
        findMetadata: () => catalogue.metadata(path.study, path.series),
        findCopy: () => catalogue.derivative(path.study, path.series),
      });
      return isOneSmallFrame(instance, path.frames) ? frames : sendWhileVisible(c, frames);
    },
  );

  routes.get(
    "/studies/:study/series/:series/instances/:instance/bulkdata/:path{.+}",
    front,
    described.bulkData,
    async (c) => {
      const path = c.req.param();
      const { catalogue, instance } = await openInstance(c, path);
      const findMetadata = () => catalogue.metadata(path.study, path.series);
      const asked = { accept: acceptOf(c), headers: c.req.raw.headers, instanceUrl: instanceUrlOf(c, path) };
      const request = { ...asked, findMetadata };
      return sendInstance(c, instance, await bulkDataResponse(catalogue, instance, path.path, request));
    },
  );

  routes.get("/studies/:study/series/:series/instances/:instance", front, described.instance, async (c) => {
    const path = c.req.param();
    const { catalogue, instance } = await openInstance(c, path);
    const retrieval = { level: "instance", study: path.study, instance } as const;
    access.assertRetrievable?.(retrieval, catalogue);
    const allow = () => access.allowRetrieval(c, retrieval);
    const findCopy = () => catalogue.derivative(path.study, path.series);
    const copied = await findCopiedInstance(instance, acceptOf(c), findCopy);
    if (copied) {
      const respond = () => copiedInstanceResponse(catalogue, instance, copied, allow);
      const response = await unlessKnown(c, copied.version, respond);
      if (response) return sendInstance(c, instance, response);
    }
    return unlessKnown(c, instanceVersion(instance, acceptOf(c)), async () =>
      sendInstance(c, instance, await instancesResponse(catalogue, [[instance]], acceptOf(c), allow)),
    );
  });

  routes.get("/studies/:study/series/:series", front, described.series, async (c) => {
    const catalogue = await resolve(c);
    const retrieval = { level: "series", study: c.req.param("study") } as const;
    const manifest = await seriesManifest(catalogue, retrieval.study, c.req.param("series"));
    access.assertRetrievable?.(retrieval, catalogue);
    const allow = () => access.allowRetrieval(c, retrieval);
    return sendWhileVisible(c, await instancesResponse(catalogue, [manifest.instances], acceptOf(c), allow));
  });

  routes.get("/studies/:study", front, described.study, async (c) => {
    const catalogue = await resolve(c);
    const study = c.req.param("study");
    const series = await allSeries(catalogue, study);
    const retrieval = { level: "study", study } as const;
    access.assertRetrievable?.(retrieval, catalogue);
    const allow = () => access.allowRetrieval(c, retrieval);
    const all = instancesOf(catalogue, series);
    // Before the retrieval is charged.
    const instances = goOn(await all.next(), all);
    return sendWhileVisible(c, await instancesResponse(catalogue, instances, acceptOf(c), allow));
  });

  return routes;
}

/** Answers 304 to a client that has this version already. */
async function unlessKnown<Answer extends Response | undefined>(
  c: Context,
  etag: string,
  respond: () => Promise<Answer>,
): Promise<Answer | Response> {
  const headers = { ETag: etag, "Cache-Control": "private, no-store" };
  if (isKnownVersion(c.req.header("if-none-match"), etag))
    return new Response(null, { status: 304, headers });
  const response = await respond();
  response?.headers.set("ETag", etag);
  return response;
}

/** Changes with the metadata of any series. */
function versionOf(series: readonly SeriesRecord[]): string {
  const hash = new Bun.CryptoHasher("sha256");
  for (const { seriesInstanceUID, version } of series) hash.update(`${seriesInstanceUID} ${version}\n`);
  return hash.digest("hex").slice(0, 32);
}
