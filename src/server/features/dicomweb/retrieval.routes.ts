import type { Context, Hono, MiddlewareHandler } from "hono";
import { TransferSyntax } from "../../../shared/dicom/transfer-syntax.ts";
import type { ManifestInstance } from "../../archive/manifest.ts";
import { continueFrom } from "../../runtime/continue-from.ts";
import {
  acceptOf,
  type NamedRepresentation,
  namedInstances,
  prefersBulkData,
  type Representation,
} from "./answers/media-types.ts";
import type { Responder } from "./answers/responder.ts";
import { unlessKnown } from "./answers/unless-known.ts";
import { type AllBulkDataRequest, allBulkDataResponse } from "./bulk-data/all-bulk-data.ts";
import { bulkDataResponse } from "./bulk-data/bulk-data.ts";
import {
  type SeriesOfValues,
  valuesOfInstance,
  valuesOfSeries,
  valuesOfStudy,
} from "./bulk-data/series-of-values.ts";
import { allSeries, type InstancePath, instancesOf, seriesManifest } from "./catalogue/catalogue-paths.ts";
import { type AskedDecoding, askedDecoding } from "./decoded/decoding.ts";
import type { describeDicomweb } from "./describe-dicomweb.ts";
import type { DicomwebCatalogue, Retrieval } from "./dicomweb.catalogue.ts";
import type { DicomwebAccess } from "./dicomweb-access.ts";
import { isSmall } from "./frames/frames.ts";
import { COPIED_SYNTAXES, copiedInstanceResponse, findCopiedInstance } from "./instances/copied-instance.ts";
import { explicitInstanceResponse, explicitVersion } from "./instances/explicit-instance.ts";
import { assertTakesSome, instancesResponse, instanceVersion } from "./instances/instances.ts";

const STUDY = "/studies/:study";
const SERIES = `${STUDY}/series/:series` as const;
const INSTANCE = `${SERIES}/instances/:instance` as const;

type Opened<Open extends (...args: never[]) => Promise<unknown>> = Awaited<ReturnType<Open>>;

interface Values extends Pick<AllBulkDataRequest, "allow" | "isPixelData" | "only"> {
  catalogue: DicomwebCatalogue;
  values: AsyncIterable<SeriesOfValues>;
}

/** Adds the retrieval of whole files and of their long values (WADO-RS, PS3.18 §10.4.1.1.1, §10.4.1.1.5, §10.4.1.1.6). */
export function addRetrievalRoutes(
  routes: Hono,
  access: DicomwebAccess,
  responder: Responder,
  described: ReturnType<typeof describeDicomweb>,
): void {
  const { resolve } = access;
  const { openInstance, seriesUrlOf, instanceUrlOf, namedSeriesUrlOf, namedInstanceUrlOf } = responder;
  const { sendWhileVisible, sendWhileRetrievable } = responder;
  const front: MiddlewareHandler = access.guard ?? ((_c, next) => next());
  const sendInstance = (c: Context, instance: ManifestInstance, response: Response) =>
    isSmall(instance) ? response : sendWhileRetrievable(c, response);
  const allowing = (c: Context, retrieval: Retrieval) => () => access.allowRetrieval(c, retrieval);

  /** How the instances of an answer are written if the client names their syntax. */
  const writing = (c: Context, catalogue: DicomwebCatalogue) => askedDecoding(access.decoding, c, catalogue);

  async function openFile(c: Context, path: InstancePath) {
    const { catalogue, instance } = await openInstance(c, path);
    const retrieval = { level: "instance", study: path.study, instance } as const;
    access.assertRetrievable?.(retrieval, catalogue);
    return { catalogue, path, instance, allow: allowing(c, retrieval) };
  }

  async function openSeries(c: Context, { study, series }: Omit<InstancePath, "instance">) {
    const catalogue = await resolve(c);
    const retrieval = { level: "series", study } as const;
    const manifest = await seriesManifest(catalogue, study, series);
    access.assertRetrievable?.(retrieval, catalogue);
    return { catalogue, study, manifest, allow: allowing(c, retrieval) };
  }

  async function openStudy(c: Context, { study }: Pick<InstancePath, "study">) {
    const catalogue = await resolve(c);
    const series = await allSeries(catalogue, study);
    const retrieval = { level: "study", study } as const;
    access.assertRetrievable?.(retrieval, catalogue);
    return { catalogue, study, series, allow: allowing(c, retrieval) };
  }

  async function sendValues(c: Context, { catalogue, values, ...asked }: Values) {
    const request = { ...asked, accept: acceptOf(c), request: c.req.raw };
    return sendWhileRetrievable(c, await allBulkDataResponse(catalogue, values, request));
  }

  function sendValuesOfStudy(c: Context, opened: Opened<typeof openStudy>, isPixelData = false) {
    const { catalogue, study, series, allow } = opened;
    const values = valuesOfStudy(catalogue, series, (uid) => seriesUrlOf(c, study, uid));
    return sendValues(c, { catalogue, values, allow, isPixelData });
  }

  function sendValuesOfSeries(c: Context, opened: Opened<typeof openSeries>, isPixelData = false) {
    const { catalogue, study, manifest, allow } = opened;
    const url = seriesUrlOf(c, study, manifest.seriesInstanceUID);
    const values = valuesOfSeries(catalogue, manifest, url);
    return sendValues(c, { catalogue, values, allow, isPixelData });
  }

  function sendValuesOfInstance(c: Context, opened: Opened<typeof openFile>, isPixelData = false) {
    const { catalogue, path, instance, allow } = opened;
    const values = valuesOfInstance(
      catalogue,
      { ...path, instance },
      seriesUrlOf(c, path.study, path.series),
    );
    return sendValues(c, { catalogue, values, allow, isPixelData, only: instance });
  }

  async function sendCopied(c: Context, opened: Opened<typeof openFile>, named: NamedRepresentation) {
    const { catalogue, path, instance, allow } = opened;
    const findCopy = () => catalogue.derivative(path.study, path.series);
    const copied = await findCopiedInstance(instance, named, findCopy);
    const respond = copied && (() => copiedInstanceResponse(catalogue, instance, copied, allow));
    const response = respond && (await unlessKnown(c, { etag: copied.version, vary: "Accept" }, respond));
    return response && sendInstance(c, instance, response);
  }

  async function sendExplicit(
    c: Context,
    { catalogue, instance, allow }: Opened<typeof openFile>,
    named: Representation,
    asked: AskedDecoding,
  ) {
    const respond = () => explicitInstanceResponse(catalogue, instance, named, asked, allow);
    const version = { etag: explicitVersion(instance, named), vary: "Accept" };
    const response = await unlessKnown(c, version, respond);
    return response && sendWhileRetrievable(c, response);
  }

  routes.get(`${STUDY}/bulkdata`, front, described.studyBulkData, async (c) =>
    sendValuesOfStudy(c, await openStudy(c, c.req.param())),
  );
  routes.get(`${STUDY}/pixeldata`, front, described.studyPixelData, async (c) =>
    sendValuesOfStudy(c, await openStudy(c, c.req.param()), true),
  );
  routes.get(`${SERIES}/bulkdata`, front, described.seriesBulkData, async (c) =>
    sendValuesOfSeries(c, await openSeries(c, c.req.param())),
  );
  routes.get(`${SERIES}/pixeldata`, front, described.seriesPixelData, async (c) =>
    sendValuesOfSeries(c, await openSeries(c, c.req.param()), true),
  );
  routes.get(`${INSTANCE}/bulkdata`, front, described.instanceBulkData, async (c) =>
    sendValuesOfInstance(c, await openFile(c, c.req.param())),
  );
  routes.get(`${INSTANCE}/pixeldata`, front, described.instancePixelData, async (c) =>
    sendValuesOfInstance(c, await openFile(c, c.req.param()), true),
  );

  routes.get(`${INSTANCE}/bulkdata/:path{.+}`, front, described.bulkData, async (c) => {
    const path = c.req.param();
    const { catalogue, instance } = await openInstance(c, path);
    const findMetadata = () => catalogue.metadata(path.study, path.series);
    const asked = { accept: acceptOf(c), request: c.req.raw, instanceUrl: instanceUrlOf(c, path) };
    const request = { ...asked, findMetadata };
    const value = await bulkDataResponse(catalogue, instance, path.path, request);
    return isSmall(instance) ? value : sendWhileVisible(c, value);
  });

  routes.get(INSTANCE, front, described.instance, async (c) => {
    const opened = await openFile(c, c.req.param());
    const { catalogue, instance, allow } = opened;
    if (prefersBulkData(acceptOf(c))) return sendValuesOfInstance(c, opened);
    const asked = writing(c, catalogue);
    const offered = asked ? [...COPIED_SYNTAXES, TransferSyntax.explicitLittleEndian] : COPIED_SYNTAXES;
    const location = namedInstanceUrlOf(c, c.req.param());
    for (const taken of namedInstances(acceptOf(c), instance.transferSyntaxUID, offered)) {
      const named = { ...taken, location };
      const isExplicit = named.syntax === TransferSyntax.explicitLittleEndian;
      const response =
        isExplicit && asked
          ? await sendExplicit(c, opened, named, asked)
          : await sendCopied(c, opened, named);
      if (response) return response;
    }
    const url = namedSeriesUrlOf(c, opened.path.study, opened.path.series);
    const version = { etag: instanceVersion(instance, acceptOf(c)), vary: "Accept" };
    return unlessKnown(c, version, async () =>
      sendInstance(
        c,
        instance,
        await instancesResponse(catalogue, [{ instances: [instance], url }], { accept: acceptOf(c), allow }),
      ),
    );
  });

  routes.get(SERIES, front, described.series, async (c) => {
    const opened = await openSeries(c, c.req.param());
    if (prefersBulkData(acceptOf(c))) return sendValuesOfSeries(c, opened);
    const { catalogue, study, manifest, allow } = opened;
    const { instances, seriesInstanceUID } = manifest;
    const groups = [{ instances, url: namedSeriesUrlOf(c, study, seriesInstanceUID) }];
    const request = { accept: acceptOf(c), allow, written: writing(c, catalogue) };
    await assertTakesSome(request.accept, groups, request.written);
    return sendWhileRetrievable(c, await instancesResponse(catalogue, groups, request));
  });

  routes.get(STUDY, front, described.study, async (c) => {
    const opened = await openStudy(c, c.req.param());
    if (prefersBulkData(acceptOf(c))) return sendValuesOfStudy(c, opened);
    const { catalogue, study, series, allow } = opened;
    const groups = () => instancesOf(catalogue, series, (uid) => namedSeriesUrlOf(c, study, uid));
    const request = { accept: acceptOf(c), allow, written: writing(c, catalogue) };
    await assertTakesSome(request.accept, groups(), request.written);
    const all = groups();
    // Before the retrieval is charged.
    const instances = continueFrom(await all.next(), all);
    return sendWhileRetrievable(c, await instancesResponse(catalogue, instances, request));
  });
}
