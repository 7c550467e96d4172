import type { DownloadTicket, StudiesDownloadTicket } from "../../../../shared/api/downloads.ts";
import type { Locale } from "../../../../shared/locale.ts";
import { ZipError } from "../../../../shared/zip/zip-error.ts";
import type { JoinPlan } from "../../../archive/volume-join.ts";
import type { Deps } from "../../../deps.ts";
import type { ObjectDeps } from "../../../holdings/reading/open-object.ts";
import { AppError } from "../../../http/app-error.ts";
import { heldByAnotherNode, unauthenticated } from "../../../http/http.errors.ts";
import type { Session } from "../../../http/session.ts";
import { translate } from "../../../http/translate.ts";
import { findLiveSession } from "../../membership/find-session.ts";
import { ensureActionLeft } from "../../subscriptions/charge-action.ts";
import { downloadTooLarge } from "../studies.errors.ts";
import type { StudyRow } from "../studies.table.ts";
import { planDownload, tryDownload, tryVolumes } from "./download-body.ts";
import { fileOf, findDownloadable, findStudyFile, hasFreeRanges, type StudyFile } from "./download-study.ts";

/** How long a ticket may wait for its first byte. */
const BEGIN_MS = 5 * 60_000;
/** The token itself is valid longer, so that a download begun in time can be resumed for an hour. */
const LIFETIME_SECONDS = 3600 + BEGIN_MS / 1000;

/**
 * Issues a URL at which the browser downloads one study by itself, without our headers, and can resume.
 * @throws {AppError} as {@link findStudyFile}; `quota.actions`, `subscription.required`, `archive.damaged`
 */
export async function issueDownloadTicket(
  deps: ObjectDeps & Pick<Deps, "tokens">,
  session: Session,
  reference: string,
): Promise<DownloadTicket> {
  const file = await findStudyFile(deps, session, reference);
  const { userId, role } = session;
  const account = { userId, isAdmin: role === "admin" };
  // A download that was cut may be resumed at another URL.
  if (!(await hasFreeRanges(deps, session, file))) await ensureActionLeft(deps.db, account, deps.clock.now());
  return await ticketFor(deps, session, file);
}

/**
 * Issues a URL for one file of several studies. A study that the caller can't download is left out and told, unless none is left.
 * @throws {AppError} as {@link issueDownloadTicket} if none is left; `download.too_large`
 */
export async function issueStudiesTicket(
  deps: ObjectDeps & Pick<Deps, "tokens">,
  session: Session,
  studyIds: readonly string[],
  locale: Locale,
): Promise<StudiesDownloadTicket> {
  const studies: StudyRow[] = [];
  const leftOut: StudiesDownloadTicket["leftOut"] = [];
  let refusal: AppError | undefined;
  for (const id of new Set(studyIds)) {
    try {
      const study = await findDownloadable(deps, session, id);
      // An id may be written in more than one way.
      if (studies.some((other) => other.id === study.id)) continue;
      const { volumes } = await fileOf(deps, [study]);
      await tryVolumes(deps, volumes).catch(unlessHeld);
      studies.push(study);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      refusal ??= error;
      const { code, text } = error.kind;
      leftOut.push({ id, code, message: translate(locale, text, error.options.values) });
    }
  }
  if (refusal && studies.length === 0) throw refusal;
  return { ...(await ticketFor(deps, session, await fileOf(deps, studies))), leftOut };
}

async function ticketFor(
  deps: ObjectDeps & Pick<Deps, "tokens">,
  session: Session,
  file: StudyFile,
): Promise<DownloadTicket> {
  const plan = await planOf(deps, file);
  await tryDownload(deps, file, plan).catch(unlessHeld);
  const claims = { sid: session.id, sub: session.userId, studies: file.studies.map(({ id }) => id) };
  const token = await deps.tokens.sign("download", claims, LIFETIME_SECONDS);
  return { url: `/api/downloads/${token}`, fileName: file.fileName, sizeBytes: plan.sizeBytes };
}

/** What another node still holds, that node may be asked for. */
function unlessHeld(error: unknown): void {
  if (!(error instanceof AppError) || error.kind !== heldByAnotherNode) throw error;
}

const TOO_LARGE: readonly string[] = ["zip.too_many_entries", "zip.directory_too_large"];

async function planOf(deps: ObjectDeps, file: StudyFile): Promise<JoinPlan> {
  try {
    return await planDownload(deps, file.volumes);
  } catch (error) {
    if (file.studies.length > 1 && error instanceof ZipError && TOO_LARGE.includes(error.code))
      throw new AppError(downloadTooLarge, { cause: error });
    throw error;
  }
}

/**
 * Returns the caller and file of a ticket, which ends with its session and with the access it was made for.
 * @throws {AppError} 401 for a ticket that has ended, otherwise as {@link findStudyFile}
 */
export async function redeemDownloadTicket(
  deps: Pick<Deps, "db" | "tokens" | "clock" | "databaseClock">,
  token: string,
): Promise<{ session: Session; file: StudyFile }> {
  const claims = await deps.tokens.verify("download", token);
  const session = claims && (await findLiveSession(deps, claims.sid, claims.sub));
  if (!claims?.studies?.length || !session) throw new AppError(unauthenticated);
  const studies: StudyRow[] = [];
  for (const id of claims.studies) studies.push(await findDownloadable(deps, session, id));
  const file = await fileOf(deps, studies);
  const isLate = deps.databaseClock.now().getTime() - claims.issuedAt.getTime() > BEGIN_MS;
  if (isLate && !(await hasFreeRanges(deps, session, file))) throw new AppError(unauthenticated);
  return { session, file };
}
