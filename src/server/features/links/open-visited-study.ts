import { DAY_MS } from "../../../shared/units.ts";
import type { Deps } from "../../deps.ts";
import type { ObjectDeps } from "../../holdings/reading/open-object.ts";
import { AppError } from "../../http/app-error.ts";
import type { Recheck } from "../../http/while-allowed.ts";
import { aboutStudy, recordAudit } from "../audit/audit.repo.ts";
import type { Scope } from "../dicomweb/dicomweb.repo.ts";
import { answerReport } from "../reports/open-report.ts";
import type { DamageDeps } from "../studies/damaged-instances.ts";
import { answerDownload, type DownloadRight } from "../studies/download/download-body.ts";
import { fileOf } from "../studies/download/download-study.ts";
import { studyNotFound } from "../studies/studies.errors.ts";
import type { StudyRow } from "../studies/studies.table.ts";
import { chargeAction } from "../subscriptions/charge-action.ts";
import { linkNotAllowed } from "./links.errors.ts";
import { noteInVisit, takeCharge } from "./links.repo.ts";
import type { VisitOrigin } from "./visit-origin.ts";
import { type LiveVisit, resolveVisit, scopeOf } from "./visit-token.ts";
import { listStudiesOfLink } from "./visits.repo.ts";

/** A study that is downloaded again through one link within this time costs the owner one action. */
const CHARGED_EVERY_MS = DAY_MS;

/**
 * A study of a visit, by its id or Study Instance UID.
 * @throws {AppError} `visit.over`, `study.not_found`
 */
export async function findVisitedStudy(
  deps: Pick<Deps, "db" | "tokens" | "clock">,
  token: string,
  reference: string,
): Promise<{ visit: LiveVisit; study: StudyRow }> {
  const visit = await resolveVisit(deps, token);
  const studies = await listStudiesOfLink(deps.db, visit.link.id);
  const study =
    studies.find(({ id }) => id === reference) ??
    studies.find(({ studyInstanceUID }) => studyInstanceUID === reference);
  if (!study) throw new AppError(studyNotFound);
  return { visit, study };
}

/**
 * A study of a visit with what its visitor sees of it.
 * @throws {AppError} `visit.over`, `study.not_found`
 */
export async function openVisitedStudy(
  deps: Pick<Deps, "db" | "tokens" | "clock">,
  token: string,
  reference: string,
): Promise<{ study: StudyRow; scope: Scope }> {
  const { visit, study } = await findVisitedStudy(deps, token, reference);
  return { study, scope: scopeOf(visit.link, [study.id]) };
}

/** @throws {AppError} `visit.over`, `study.not_found`, `link.not_allowed`, `report.not_found`, `archive.damaged` */
export async function openVisitedReport(
  deps: ObjectDeps & Pick<Deps, "tokens">,
  { token, reference, request }: { token: string; reference: string; request: Request },
  { device, ...origin }: VisitOrigin,
): Promise<Response> {
  const { visit, study } = await findVisitedStudy(deps, token, reference);
  if (!visit.link.laudo) throw new AppError(linkNotAllowed);
  const record = async () => {
    await recordAudit(deps.db, {
      at: deps.clock.now(),
      action: "report.opened",
      actorId: null,
      ...aboutStudy(study),
      details: { linkId: visit.link.id, device },
      ...origin,
    });
    await noteInVisit(deps.db, visit.visitId, { readReport: true });
  };
  return await answerReport(deps, study, { request, record });
}

/**
 * Answers GET or HEAD for the file of a study, if the link allows it. It is charged to the owner, once a day for one link and study,
 * so that visitors can't use up the owner's month.
 * @throws {AppError} `visit.over`, `study.not_found`, `link.not_allowed`, and as `answerDownload`
 */
export async function downloadVisitedStudy(
  deps: DamageDeps & Pick<Deps, "tokens">,
  request: Request,
  { token, reference, recheck }: { token: string; reference: string; recheck: Recheck },
  { device, ...origin }: VisitOrigin,
): Promise<Response> {
  const { visit, study } = await findVisitedStudy(deps, token, reference);
  if (!visit.link.download) throw new AppError(linkNotAllowed);
  const { id: linkId, accountId, ownerRole } = visit.link;
  const account = { userId: accountId, isAdmin: ownerRole === "admin" };
  const charge: DownloadRight["charge"] = async ({ isRange }) => {
    const now = deps.clock.now();
    const since = new Date(now.getTime() - CHARGED_EVERY_MS);
    await deps.db.transaction(async (tx) => {
      const isCharged = await takeCharge(tx, { linkId, studyId: study.id }, { now, since });
      const { studyInstanceUID } = study;
      if (isCharged)
        await chargeAction(tx, account, { exam: "imaging", kind: "download", studyInstanceUID }, now);
      else if (isRange) return;
      await recordAudit(tx, {
        at: now,
        action: "study.downloaded",
        actorId: null,
        ...aboutStudy(study),
        details: { linkId, device },
        ...origin,
      });
      await noteInVisit(tx, visit.visitId, { downloaded: true });
    });
  };
  return await answerDownload(deps, request, await fileOf(deps, [study]), { charge, recheck });
}
