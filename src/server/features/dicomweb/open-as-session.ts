import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import { subscriptionRequired } from "../../http/guard.ts";
import { notFound } from "../../http/http.errors.ts";
import type { RequestOrigin } from "../../http/request-origin.ts";
import type { Session } from "../../http/session.ts";
import { findStudy } from "../studies/access/find-study.ts";
import { chargeDownload, findStudyFile } from "../studies/download/download-study.ts";
import type { DicomwebCatalogue, Retrieval } from "./dicomweb.catalogue.ts";
import { openCatalogue } from "./open-catalogue.ts";

/**
 * One study, for whoever is signed in and may see it. As with a viewer's token, a doctor or lab without a subscription
 * sees what was granted to them, and nothing of their own.
 * @throws {AppError} `study.not_found`; `study.ambiguous` where its UID stands in several accounts; `subscription.required`
 */
export async function openStudyAsSession(
  deps: Pick<Deps, "db" | "series" | "scratch" | "elements" | "readingTurns">,
  caller: Session,
  studyInstanceUID: string,
): Promise<DicomwebCatalogue> {
  if (!/^[0-9.]{1,64}$/.test(studyInstanceUID)) throw new AppError(notFound);
  const study = await findStudy(deps.db, caller, studyInstanceUID);
  if (!caller.hasActiveSubscription && study.accountId === caller.userId)
    throw new AppError(subscriptionRequired);
  return openCatalogue(deps, { caller, studyIds: [study.id] });
}

/**
 * Whole files count as the download they are. A study is one action each time; its series and instances are one
 * together within an hour, since a workstation asks for them one by one.
 * @throws {AppError} `role.forbidden`, `quota.actions`, `subscription.required`
 */
export async function chargeRetrieval(
  deps: Pick<Deps, "db" | "clock">,
  caller: Session,
  { level, studyInstanceUID }: Retrieval,
  origin: RequestOrigin,
): Promise<void> {
  const file = await findStudyFile(deps, caller, studyInstanceUID);
  await chargeDownload(deps, caller, file, { isRange: level !== "study", origin });
}
