import type { Deps } from "../../deps.ts";
import type { SeriesUIDs } from "../dicomweb/dicomweb.repo.ts";
import { createDicomwebRoutes } from "../dicomweb/dicomweb.routes.ts";
import { openCatalogue } from "../dicomweb/open-catalogue.ts";
import { assertViewerRetrieval, resolveViewerToken, type ViewerAccess } from "./viewer-token.ts";

/** Tokens that are no session's, such as those of shared links. */
export interface OtherTokens {
  owns(token: string): boolean;
  resolve(deps: Deps, token: string, series?: SeriesUIDs): Promise<ViewerAccess>;
}

/** DICOMweb for viewing a token's studies; mounted at `/dicomweb/t/:token`. */
export function createViewerDicomwebRoutes(deps: Deps, others: OtherTokens) {
  return createDicomwebRoutes({
    document: {
      room: "Viewer",
      retrievals: "Single instances without images only: a viewer looks, it does not download.",
      params: { token: "Of `GET /generate-token` or `POST /api/visits`." },
    },
    hasSearch: true,
    async resolve(c, series) {
      const token = c.req.param("token") ?? "";
      const resolve = others.owns(token) ? others.resolve : resolveViewerToken;
      const { scope, found } = await resolve(deps, token, series);
      return openCatalogue(deps, scope, found);
    },
    allowRetrieval: async (_c, retrieval) => assertViewerRetrieval(retrieval),
  });
}
