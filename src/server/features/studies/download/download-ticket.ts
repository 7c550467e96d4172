import type { DownloadTicket } from "../../../../shared/api/studies.ts";
import type { Deps } from "../../../deps.ts";
import type { ObjectDeps } from "../../../holdings/reading/open-object.ts";
import { AppError } from "../../../http/app-error.ts";
import { unauthenticated } from "../../../http/http.errors.ts";
import type { Session } from "../../../http/session.ts";
import { findLiveSession } from "../../membership/find-session.ts";
import { planDownload } from "./download-body.ts";
import { findStudyFile, hasFreeRanges, type StudyFile } from "./download-study.ts";

/** How long a ticket may wait for its first byte. */
const BEGIN_MS = 5 * 60_000;
/** The token itself is valid longer, so that a download begun in time can be resumed for an hour. */
const LIFETIME_SECONDS = 3600 + BEGIN_MS / 1000;

/**
 * Issues a URL at which the browser downloads one study by itself, without our headers, and can resume.
 * @throws {AppError} as {@link findStudyFile}
 */
export async function issueDownloadTicket(
  deps: ObjectDeps & Pick<Deps, "tokens">,
  session: Session,
  reference: string,
): Promise<DownloadTicket> {
  const file = await findStudyFile(deps, session, reference);
  const { sizeBytes } = await planDownload(deps, file.volumes);
  const claims = { sid: session.id, sub: session.userId, studies: [file.study.id] };
  const token = await deps.tokens.sign("download", claims, LIFETIME_SECONDS);
  return { url: `/api/downloads/${token}`, fileName: file.fileName, sizeBytes };
}

/**
 * Returns the caller and file of a ticket, which ends with its session and with the access it was made for.
 * @throws {AppError} 401 for a ticket that has ended, otherwise as {@link findStudyFile}
 */
export async function redeemDownloadTicket(
  deps: Pick<Deps, "db" | "tokens" | "clock">,
  token: string,
): Promise<{ session: Session; file: StudyFile }> {
  const claims = await deps.tokens.verify("download", token);
  const session = claims && (await findLiveSession(deps, claims.sid, claims.sub));
  const [studyId] = claims?.studies ?? [];
  if (!claims || !session || !studyId) throw new AppError(unauthenticated);
  const file = await findStudyFile(deps, session, studyId);
  const isLate = deps.clock.now().getTime() - claims.issuedAt.getTime() > BEGIN_MS;
  if (isLate && !(await hasFreeRanges(deps, session, file))) throw new AppError(unauthenticated);
  return { session, file };
}
