import type { Context } from "hono";
import { isUid } from "../../../shared/dicom/uid.ts";
import { isUuid } from "../../../shared/uuid.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import { subscriptionRequired } from "../../http/guard.ts";
import { forbidden, notFound } from "../../http/http.errors.ts";
import type { HttpEnv } from "../../http/http-context.ts";
import { originOf, type RequestOrigin } from "../../http/request-origin.ts";
import type { Session } from "../../http/session.ts";
import { findStudy } from "../studies/access/find-study.ts";
import { recordReading } from "../studies/access/record-opening.ts";
import { mayDownload } from "../studies/access/study-access.ts";
import { chargeDownload, findStudyFile } from "../studies/download/download-study.ts";
import type { StudyRow } from "../studies/studies.table.ts";
import { openCatalogue } from "./catalogue/open-catalogue.ts";
import type { DicomwebCatalogue, Retrieval } from "./dicomweb.catalogue.ts";

/**
 * Opens one study for a signed-in caller who may see it. As with a viewer token, a doctor or lab without a subscription sees
 * granted studies only, not their own. With an `opening` it is recorded, once an hour.
 * @throws {AppError} `study.not_found`; `study.ambiguous` if several accounts have its UID; `subscription.required`
 */
export async function openStudyAsSession(
  deps: Pick<Deps, "db" | "clock" | "series" | "scratch" | "elements" | "readingTurns" | "searchTurns">,
  caller: Session,
  reference: string,
  opening: RequestOrigin | undefined,
): Promise<DicomwebCatalogue> {
  const study = await assertVisible(deps, caller, reference);
  if (opening) await recordReading(deps, caller, study, opening);
  const catalogue = openCatalogue(deps, { caller, studyIds: [study.id] });
  return answeringTo({ ...catalogue, isDownloadable: mayDownload(caller, study) }, study);
}

/** Where a request that opens a study came from; undefined for HEAD, which sends nothing of it. */
export function openingOf(c: Context): RequestOrigin | undefined {
  return c.req.method === "HEAD" ? undefined : originOf(c as Context<HttpEnv>);
}

/** Makes sure that the caller may still see the study of the path. @throws {AppError} */
export async function assertStillVisible(deps: Pick<Deps, "db">, c: Context<HttpEnv>): Promise<void> {
  await assertVisible(deps, await c.get("readmit")(), c.req.param("study") ?? "");
}

/** Makes sure that the caller may still download the study of the path. @throws {AppError} */
export async function assertStillRetrievable(deps: Pick<Deps, "db">, c: Context<HttpEnv>): Promise<void> {
  const caller = await c.get("readmit")();
  if (!mayDownload(caller, await assertVisible(deps, caller, c.req.param("study") ?? "")))
    throw new AppError(forbidden);
}

/** The study that a caller may see over DICOMweb, as it is now. @throws {AppError} as {@link openStudyAsSession} */
async function assertVisible(
  { db }: Pick<Deps, "db">,
  caller: Session,
  reference: string,
): Promise<StudyRow> {
  if (!isUuid(reference) && !isUid(reference)) throw new AppError(notFound);
  const study = await findStudy(db, caller, reference);
  if (!caller.hasActiveSubscription && study.accountId === caller.userId)
    throw new AppError(subscriptionRequired);
  return study;
}

/** The catalogue of one study, which takes our id for its UID. */
function answeringTo(
  catalogue: DicomwebCatalogue,
  { id, studyInstanceUID }: Pick<StudyRow, "id" | "studyInstanceUID">,
): DicomwebCatalogue {
  const uidOf = (reference: string) => (reference === id ? studyInstanceUID : reference);
  return {
    ...catalogue,
    series: (study) => catalogue.series(uidOf(study)),
    manifest: (study, series) => catalogue.manifest(uidOf(study), series),
    metadata: (study, series) => catalogue.metadata(uidOf(study), series),
    derivative: (study, series) => catalogue.derivative(uidOf(study), series),
  };
}

/**
 * Charges the retrieval of whole files as a download. A study costs one action each time. Its series and instances together cost
 * one action within an hour, since a workstation requests them one by one.
 * @throws {AppError} `role.forbidden`, `quota.actions`, `subscription.required`
 */
export async function chargeRetrieval(
  deps: Pick<Deps, "db" | "clock">,
  caller: Session,
  { level, study }: Retrieval,
  origin: RequestOrigin,
): Promise<void> {
  const file = await findStudyFile(deps, caller, study);
  await chargeDownload(deps, caller, file, { isRange: level !== "study", origin });
}
