import type { Context } from "hono";
import type { Deps } from "../../deps.ts";
import { AppError, type ErrorKind } from "../../http/app-error.ts";
import { subscriptionRequired } from "../../http/guard.ts";
import { notFound, unauthenticated } from "../../http/http.errors.ts";
import { openCatalogue } from "../dicomweb/catalogue/open-catalogue.ts";
import type { DicomwebCatalogue } from "../dicomweb/dicomweb.catalogue.ts";
import type { SeriesUIDs } from "../dicomweb/dicomweb.repo.ts";
import { resolveViewerToken, type ViewerAccess } from "./viewer-token.ts";

/** Tokens that are no session's, such as those of shared links. */
export interface OtherTokens {
  owns(token: string): boolean;
  resolve(deps: Deps, token: string, series?: SeriesUIDs): Promise<ViewerAccess>;
}

/** The parameter of the path that opens a viewer's calls, for the API's document. */
export const viewerParams = { token: "Of `GET /generate-token` or `POST /api/visits`." };

/** Why that parameter may open nothing. */
export const viewerProblems: readonly ErrorKind[] = [unauthenticated, subscriptionRequired];

/** Opens what the token in the path lets its holder see. @throws {AppError} as {@link resolveViewerToken} */
export async function openAsViewer(
  deps: Deps,
  others: OtherTokens,
  c: Context,
  series?: SeriesUIDs,
): Promise<DicomwebCatalogue> {
  const token = c.req.param("token") ?? "";
  const resolve = others.owns(token) ? others.resolve : resolveViewerToken;
  const { scope, found } = await resolve(deps, token, series);
  return openCatalogue(deps, scope, found);
}

/** Makes sure that the token still opens the study of the path. @throws {AppError} */
export async function assertStillViewed(deps: Deps, others: OtherTokens, c: Context): Promise<void> {
  const catalogue = await openAsViewer(deps, others, c);
  const studies = await catalogue.studies();
  if (!studies.some(({ studyInstanceUID }) => studyInstanceUID === c.req.param("study")))
    throw new AppError(notFound);
}
