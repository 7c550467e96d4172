import { type ViewerToken, viewerTokenRequestSchema } from "../../../shared/api/studies.ts";
import type { Locale } from "../../../shared/locale.ts";
import type { DbOrTx } from "../../db/client.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import { isSubscribed, subscriptionRequired } from "../../http/guard.ts";
import { archiveDamaged, unauthenticated } from "../../http/http.errors.ts";
import type { RequestOrigin } from "../../http/request-origin.ts";
import type { Session } from "../../http/session.ts";
import { parseWith } from "../../http/validate.ts";
import { userNotFound } from "../accounts/users/users.errors.ts";
import type { FoundManifest } from "../dicomweb/catalogue/open-catalogue.ts";
import type { Retrieval } from "../dicomweb/dicomweb.catalogue.ts";
import {
  findSessionWithManifest,
  type ManifestOfAccount,
  type Scope,
  type SeriesUIDs,
} from "../dicomweb/dicomweb.repo.ts";
import { judgeSession } from "../membership/find-session.ts";
import { findSessionRow } from "../membership/session-standing.repo.ts";
import { findStudy } from "../studies/access/find-study.ts";
import { recordOpening } from "../studies/access/record-opening.ts";
import { studyNotReady } from "../studies/studies.errors.ts";
import { noteSeen } from "../studies/studies.repo.ts";
import type { StudyRow } from "../studies/studies.table.ts";
import { isImage, readStudyPreviews, type StudyPreview } from "./study-preview.ts";
import { viewerRetrievalForbidden } from "./viewer.errors.ts";

const LIFETIME_SECONDS = 2 * 3600;

/**
 * Issues a token to view exactly the studies named in `data` (base64 of JSON). It is valid for two hours, or until its
 * session or the access it was made for ends.
 * @throws {AppError} 400 for unreadable `data`; `user.not_found` for another user's id; `study.not_found`; `study.not_ready` before
 *   the transfer is done; `subscription.required`; `archive.damaged` if a study is missing
 */
export async function issueViewerToken(
  deps: Pick<Deps, "db" | "tokens" | "clock" | "config" | "log" | "series" | "warmer" | "elapsedMs">,
  session: Session,
  input: { data: string; locale: Locale },
  origin: RequestOrigin,
): Promise<ViewerToken> {
  const pairs = parseWith(viewerTokenRequestSchema, decodeJson(input.data), input.locale);
  const studies: StudyRow[] = [];
  for (const pair of pairs) {
    if (pair.userId !== session.userId) throw new AppError(userNotFound);
    const { study } = await openStudyForViewing(deps.db, session, pair.id ?? pair.studyInstanceUID ?? "");
    studies.push(study);
  }
  for (const study of studies) await recordOpening(deps, session, study, origin);
  const studyIds = studies.map(({ id }) => id);
  await noteSeen(deps.db, session.userId, studyIds, deps.clock.now());
  deps.warmer.warm(studyIds);
  const claims = { sid: session.id, sub: session.userId, studies: studyIds };
  const token = await deps.tokens.sign("viewer", claims, LIFETIME_SECONDS);
  const previews = await readStudyPreviews(deps, studyIds);
  const url = viewerUrl({ origin: deps.config.viewerOrigin, token, studies, previews, locale: input.locale });
  return { token, url, obstacle: commonObstacle(previews) };
}

/**
 * A study that a session may view now, named by its id or Study Instance UID.
 * @throws {AppError} `study.not_found`, `study.ambiguous`; `study.not_ready` before the transfer is done; `subscription.required`;
 *   `archive.damaged` if the study is missing
 */
export async function openStudyForViewing(
  db: DbOrTx,
  session: Session,
  reference: string,
): Promise<{ study: StudyRow; scope: Scope }> {
  const study = await findStudy(db, session, reference);
  if (isGrantedOnly(session) && study.accountId === session.userId) throw new AppError(subscriptionRequired);
  if (study.integrity === "missing") throw new AppError(archiveDamaged);
  if (study.storageStatus !== "b2") throw new AppError(studyNotReady);
  return { study, scope: { caller: session, studyIds: [study.id] } };
}

/** The reason why no study has anything to show; null if one has. */
function commonObstacle(previews: StudyPreview[]): ViewerToken["obstacle"] {
  const obstacles = previews.flatMap((preview) =>
    preview !== "unknown" && "obstacle" in preview ? preview.obstacle : [],
  );
  if (previews.length === 0 || obstacles.length < previews.length) return null;
  return obstacles.includes("no_decoder") ? "no_decoder" : "no_images";
}

interface ViewerAddress {
  origin: string | undefined;
  token: string;
  studies: StudyRow[];
  previews: StudyPreview[];
  locale: Locale;
}

function viewerUrl({ origin, token, studies, previews, locale }: ViewerAddress): string {
  const query = new URLSearchParams({
    StudyInstanceUIDs: studies.map((study) => study.studyInstanceUID).join(","),
    t: token,
    lng: locale,
  });
  const [first] = previews;
  // Without this, OHIF begins with the lowest series number, which is the scout.
  if (first && first !== "unknown" && "beginWith" in first)
    query.set("initialSeriesInstanceUID", first.beginWith);
  return `${origin ?? ""}/viewer/basic?${query}`;
}

/** Decodes base64 or base64url of JSON; `undefined` for anything else. */
function decodeJson(data: string): unknown {
  if (data.length > 8192) return undefined;
  try {
    return JSON.parse(Buffer.from(data, "base64url").toString("utf8"));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The holder of a viewer token and what it opens, determined again at each request. */
export interface ViewerAccess {
  scope: Scope;
  /** The manifest of the requested series, if the request names one. */
  found?: FoundManifest;
}

/**
 * Resolves a viewer token. If the request is about one `series`, its manifest is looked up in the same statement. A token ends with
 * the subscription that gave access: without one, a user sees nothing, and a doctor or lab only what others granted them.
 * @throws {AppError} 401 for a token that is forged, expired, or whose session has ended; `subscription.required`
 */
export async function resolveViewerToken(
  deps: Pick<Deps, "db" | "tokens" | "clock">,
  token: string,
  series?: SeriesUIDs,
): Promise<ViewerAccess> {
  const claims = await deps.tokens.verify("viewer", token);
  if (!claims?.studies) throw new AppError(unauthenticated);
  const { sid: sessionId, sub: userId, studies: studyIds } = claims;
  const looked = series
    ? await findSessionWithManifest(deps.db, { sessionId, studyIds, ...series })
    : { session: await findSessionRow(deps.db, sessionId), manifests: [] };
  const session = await judgeSession(deps, { sessionId, userId }, looked.session);
  if (!session) throw new AppError(unauthenticated);
  if (!isSubscribed(session, "viewing")) throw new AppError(subscriptionRequired);
  const scope = { caller: session, studyIds, isGrantedOnly: isGrantedOnly(session) };
  if (!series) return { scope };
  const inScope = ({ accountId }: ManifestOfAccount) => !scope.isGrantedOnly || accountId !== userId;
  return { scope, found: { ...series, object: looked.manifests.find(inScope)?.object } };
}

/** Whether the session sees granted studies only: doctors and labs need a subscription for their own studies. */
function isGrantedOnly(session: Session): boolean {
  return !session.hasActiveSubscription;
}

/**
 * Limits a token to viewing. Documents, reports and overlays (segmentations, …) may be retrieved whole, because the viewer reads
 * them so; of images only frames may be, and never a whole series or study.
 * @throws {AppError} `viewer.retrieval_forbidden`
 */
export function assertViewerRetrieval(retrieval: Retrieval): void {
  if (retrieval.level !== "instance" || isImage(retrieval.instance))
    throw new AppError(viewerRetrievalForbidden);
}
