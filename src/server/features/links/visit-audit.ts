import type { DbOrTx } from "../../db/client.ts";
import { type AuditEvent, aboutStudy } from "../audit/audit.repo.ts";
import { listStudiesOfLink } from "./visits.repo.ts";

/** One event for each study of a link, because owners read the audit of a study; one about the account if no study is left. */
export async function eventsAboutStudies(
  db: DbOrTx,
  link: { id: string; accountId: string },
  event: Omit<AuditEvent, "accountId" | "studyId" | "studyInstanceUID" | "details"> & { device?: string },
): Promise<AuditEvent[]> {
  const { device, ...what } = event;
  const details = { linkId: link.id, ...(device !== undefined && { device }) };
  const studies = await listStudiesOfLink(db, link.id);
  if (studies.length === 0) return [{ ...what, accountId: link.accountId, details }];
  return studies.map((study) => ({ ...what, ...aboutStudy(study), details }));
}
