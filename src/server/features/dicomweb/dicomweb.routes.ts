import { type Context, Hono, type MiddlewareHandler } from "hono";
import { AppError } from "../../http/app-error.ts";
import { notFound } from "../../http/http.errors.ts";
import { continueFrom } from "../../runtime/continue-from.ts";
import { acceptOf } from "./answers/media-types.ts";
import { createResponder } from "./answers/responder.ts";
import { takenOf, versionIn } from "./answers/taken-data-sets.ts";
import { unlessKnown } from "./answers/unless-known.ts";
import {
  allSeries,
  metadataOf,
  referenceIn,
  seriesManifest,
  seriesMetadata,
  uid,
} from "./catalogue/catalogue-paths.ts";
import { askedDecoding } from "./decoded/decoding.ts";
import { describeDicomweb } from "./describe-dicomweb.ts";
import type { DicomwebCatalogue, SeriesRecord, StoredMetadata } from "./dicomweb.catalogue.ts";
import type { DicomwebAccess } from "./dicomweb-access.ts";
import { framesResponse, isOneSmallFrame } from "./frames/frames.ts";
import {
  instanceMetadataResponse,
  MAX_AT_ONCE_BYTES,
  seriesMetadataResponse,
  studyMetadataResponse,
} from "./metadata/metadata.ts";
import { type AskedSearch, askedOf } from "./qido/asked-search.ts";
import { fieldsAbove, seriesJson, studyJson } from "./qido/qido-json.ts";
import { searchInstances } from "./qido/search-instances.ts";
import {
  type Found,
  isLarge,
  matchesLevel,
  pageOf,
  searchedSeries,
  searchResponse,
} from "./qido/search-response.ts";
import { addRetrievalRoutes } from "./retrieval.routes.ts";

/** The most series of one study whose instances a search reads. */
const MAX_SEARCHED_SERIES = 1_000;

/** QIDO-RS and WADO-RS (PS3.18 §10.4, §10.6) over what one caller may see. */
export function createDicomwebRoutes(access: DicomwebAccess) {
  const { resolve } = access;
  const responder = createResponder(access);
  const { openInstance, urlOf, namedInstanceUrlOf, sendWhileVisible } = responder;
  const described = describeDicomweb({ ...access.document, decodes: access.decoding !== undefined });
  const routes = new Hono();
  const front: MiddlewareHandler = access.guard ?? ((_c, next) => next());

  const { baseUrl, answersNoContent = false } = access;
  const sendMetadata = (c: Context, { inflatedBytes }: StoredMetadata, response: Response) =>
    inflatedBytes > MAX_AT_ONCE_BYTES ? sendWhileVisible(c, response) : response;
  const answer = async (c: Context, found: Found, asked: AskedSearch) => {
    const response = await searchResponse(found, { ...asked, answersNoContent, request: c.req.raw });
    return isLarge(found) ? sendWhileVisible(c, response) : response;
  };

  const studyFields = (
    catalogue: DicomwebCatalogue,
    studyInstanceUID: string | undefined,
    asked: AskedSearch,
  ) =>
    fieldsAbove("study", asked, async () => {
      const studies = await catalogue.studies();
      const study = studies.find((one) => one.studyInstanceUID === studyInstanceUID);
      return study && studyJson(study);
    });

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
    const ofStudy = await studyFields(catalogue, series[0]?.studyInstanceUID, asked);
    const known = series.map((one) => ({ ...ofStudy, ...seriesJson({ ...one, reference }, baseUrl) }));
    return answer(c, pageOf(known, asked.query, "series"), asked);
  });

  routes.get("/studies/:study/instances", front, described.studyInstances, async (c) => {
    const catalogue = await resolve(c);
    const asked = askedOf(c, ["series", "instance"]);
    const { query, levels } = asked;
    const series = await allSeries(catalogue, c.req.param("study"));
    const reference = referenceIn(c);
    const ofStudy = await studyFields(catalogue, series[0]?.studyInstanceUID, asked);
    const searched = series
      .map((one) => ({ ...one, reference }))
      .map((one) => ({ record: one, known: { ...ofStudy, ...seriesJson(one, baseUrl) } }))
      .filter(({ known }) => matchesLevel(known, query, "series"))
      .map(({ record, known }) => searchedSeries(catalogue, record, known));
    const limits = {
      maxSeries: MAX_SEARCHED_SERIES,
      maxLists: MAX_SEARCHED_SERIES,
      levels,
      ...catalogue.searching,
      signal: c.req.raw.signal,
    };
    return answer(c, await searchInstances(searched, { query, baseUrl, ...limits }), asked);
  });

  routes.get("/studies/:study/series/:series/instances", front, described.seriesInstances, async (c) => {
    const catalogue = await resolve(c);
    const asked = askedOf(c, ["instance"]);
    const { query, levels } = asked;
    const manifest = await seriesManifest(catalogue, c.req.param("study"), c.req.param("series"));
    const record = { ...manifest, instanceCount: manifest.instances.length, reference: referenceIn(c) };
    const ofStudy = await studyFields(catalogue, manifest.studyInstanceUID, asked);
    const ofSeries = await fieldsAbove("series", asked, async () => {
      const all = await catalogue.series(manifest.studyInstanceUID);
      const series = all.find((one) => one.seriesInstanceUID === manifest.seriesInstanceUID);
      return series && seriesJson(series);
    });
    const searched = [searchedSeries(catalogue, record, { ...ofStudy, ...ofSeries })];
    const { signal } = c.req.raw;
    const limits = { maxSeries: 1, maxLists: 1, levels, ...catalogue.searching, signal };
    return answer(c, await searchInstances(searched, { query, baseUrl, ...limits }), asked);
  });

  routes.get("/studies/:study/metadata", front, described.studyMetadata, async (c) => {
    const catalogue = await resolve(c);
    const taken = takenOf(c);
    const series = await allSeries(catalogue, c.req.param("study"));
    const version = versionOf(series, await catalogue.copies(series));
    return unlessKnown(c, versionIn(taken.form, version), async () => {
      // What can't be read at all fails before the answer begins.
      const all = metadataOf(catalogue, series);
      const metadata = continueFrom(await all.next(), all);
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
        instanceUrl: namedInstanceUrlOf(c, path),
        request: c.req.raw,
        findMetadata: () => catalogue.metadata(path.study, path.series),
        findCopy: () => catalogue.derivative(path.study, path.series),
        decoded: askedDecoding(access.decoding, c, catalogue),
      });
      return isOneSmallFrame(instance, path.frames) ? frames : sendWhileVisible(c, frames);
    },
  );

  addRetrievalRoutes(routes, access, responder, described);

  return routes;
}

/** Changes with the metadata of any series, which name its copy. */
function versionOf(series: readonly SeriesRecord[], copies: ReadonlyMap<string, string>): string {
  const hash = new Bun.CryptoHasher("sha256");
  for (const { seriesInstanceUID, version } of series)
    hash.update(`${seriesInstanceUID} ${version} ${copies.get(version) ?? ""}\n`);
  return hash.digest("hex").slice(0, 32);
}
