import type * as z from "zod/mini";
import {
  type CreatedLink,
  DEFAULT_LINK_DAYS,
  MAX_LINK_DAYS,
  type newLinkSchema,
} from "../../../shared/api/links.ts";
import type { Locale } from "../../../shared/locale.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import { validationFailed } from "../../http/http.errors.ts";
import type { RequestOrigin } from "../../http/request-origin.ts";
import { drawQrCode } from "../../render/qr-code.ts";
import { hashSecret, newCode, newSecret } from "../accounts/mailed-links/secrets.ts";
import { hashPassword } from "../accounts/passwords/passwords.ts";
import { lockUser } from "../accounts/users/users.repo.ts";
import { aboutStudy, recordAudit } from "../audit/audit.repo.ts";
import { findStudy } from "../studies/access/find-study.ts";
import { owns } from "../studies/access/study-access.ts";
import { unlessStudyGone } from "../studies/access/unless-study-gone.ts";
import { studyNotOwner } from "../studies/studies.errors.ts";
import type { Caller } from "../studies/studies.repo.ts";
import type { StudyRow } from "../studies/studies.table.ts";
import { endAhead } from "./end-ahead.ts";
import { linkOfOneOwner, tooManyLinks } from "./links.errors.ts";
import { countLiveLinks, deleteOldestOver, insertLink } from "./links.repo.ts";
import { MAX_LIVE_LINKS } from "./read-links.ts";

/** Links of one account that are over and still kept. */
const MAX_OVER = 2_000;

/**
 * Makes a link to studies of one account, by its owner or an admin. Only this answer holds the secret and the passcode.
 * @throws {AppError} `study.not_found`, `study.not_owner` (a grantee), `link.one_owner`, `link.too_many`, 400 for an end that is
 *   past or too far ahead
 */
export async function createLink(
  deps: Pick<Deps, "db" | "clock" | "config">,
  caller: Caller,
  input: z.output<typeof newLinkSchema> & { locale: Locale },
  origin: RequestOrigin,
): Promise<CreatedLink> {
  const now = deps.clock.now();
  const expiresAt = endAhead(input, now, { defaultDays: DEFAULT_LINK_DAYS, maxDays: MAX_LINK_DAYS });
  const studies = await findOwnStudies(deps, caller, input.studyIds);
  const [first] = studies;
  const { accountId } = first;
  if (studies.some((study) => study.accountId !== accountId)) throw new AppError(linkOfOneOwner);
  const id = Bun.randomUUIDv7();
  const secret = newSecret();
  const passcode = input.passcode ? newCode() : undefined;
  const row = {
    id,
    accountId,
    secretHash: hashSecret(secret),
    passcodeHash: passcode === undefined ? null : await hashPassword(passcode),
    recipient: input.recipient || null,
    laudo: input.laudo,
    download: input.download,
    maxOpenings: input.maxOpenings ?? null,
    createdAt: now,
    expiresAt,
  };
  const making = deps.db.transaction(async (tx) => {
    // So that links made at once are counted one after the other.
    await lockUser(tx, accountId);
    if ((await countLiveLinks(tx, accountId, now)) >= MAX_LIVE_LINKS) throw new AppError(tooManyLinks);
    await deleteOldestOver(tx, accountId, now, MAX_OVER);
    await insertLink(
      tx,
      row,
      studies.map((study) => study.id),
    );
    for (const study of studies)
      await recordAudit(tx, {
        at: now,
        action: "link.created",
        actorId: caller.userId,
        ...aboutStudy(study),
        details: { linkId: id },
        ...origin,
      });
  });
  await unlessStudyGone(making);
  const url = `${deps.config.publicUrl}/v/${id}#${secret}`;
  const qrCode = drawQrCode(url);
  return { id, url, qrCode, ...(passcode !== undefined && { passcode }), expiresAt: expiresAt.toISOString() };
}

async function findOwnStudies(
  deps: Pick<Deps, "db">,
  caller: Caller,
  references: readonly string[],
): Promise<[StudyRow, ...StudyRow[]]> {
  const found = new Map<string, StudyRow>();
  for (const reference of references) {
    const study = await findStudy(deps.db, caller, reference);
    if (!owns(caller, study)) throw new AppError(studyNotOwner);
    found.set(study.id, study);
  }
  const [first, ...others] = found.values();
  if (!first) throw new AppError(validationFailed);
  return [first, ...others];
}
