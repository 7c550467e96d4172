import type { Context, Hono, MiddlewareHandler } from "hono";
import type { ManifestInstance } from "../../archive/manifest.ts";
import { goOn } from "../../runtime/go-on.ts";
import { acceptOf } from "./answers/media-types.ts";
import type { Responder } from "./answers/responder.ts";
import { unlessKnown } from "./answers/unless-known.ts";
import { bulkDataResponse } from "./bulk-data/bulk-data.ts";
import { allSeries, instancesOf, seriesManifest } from "./catalogue/catalogue-paths.ts";
import type { describeDicomweb } from "./describe-dicomweb.ts";
import type { DicomwebAccess } from "./dicomweb-access.ts";
import { isSmall } from "./frames/frames.ts";
import { copiedInstanceResponse, findCopiedInstance } from "./instances/copied-instance.ts";
import { instancesResponse, instanceVersion } from "./instances/instances.ts";

/** Adds the retrieval of whole files and of their long values (WADO-RS, PS3.18 §10.4.1.1.1 and §10.4.1.1.5). */
export function addRetrievalRoutes(
  routes: Hono,
  access: DicomwebAccess,
  { openInstance, instanceUrlOf, sendWhileVisible }: Responder,
  described: ReturnType<typeof describeDicomweb>,
): void {
  const { resolve } = access;
  const front: MiddlewareHandler = access.guard ?? ((_c, next) => next());
  const sendInstance = (c: Context, instance: ManifestInstance, response: Response) =>
    isSmall(instance) ? response : sendWhileVisible(c, response);

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
}
