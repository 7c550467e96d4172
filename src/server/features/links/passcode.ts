import { MAX_WRONG_PASSCODES } from "../../../shared/api/links.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import { KeyedTurns } from "../../runtime/keyed-turns.ts";
import { verifyPassword } from "../accounts/passwords/passwords.ts";
import { findUser } from "../accounts/users/users.repo.ts";
import { recordAudit } from "../audit/audit.repo.ts";
import { tellAboutPasscodes } from "./link-mails.ts";
import { linkNotFound, linkPasscode } from "./links.errors.ts";
import { endLinkRow, giveBackTry, takeTry } from "./links.repo.ts";
import { shortName } from "./short-name.ts";
import { eventsAboutStudies } from "./visit-audit.ts";
import type { VisitOrigin } from "./visit-origin.ts";
import type { FoundLink } from "./visits.repo.ts";

/** Asks for the passcode. Whoever has the secret may know whose link it is: a first name and an initial. */
export function passcodeAsked(link: FoundLink, tries = link.wrongPasscodes): AppError {
  const members = { owner: shortName(link.ownerName), triesLeft: Math.max(0, MAX_WRONG_PASSCODES - tries) };
  return new AppError(linkPasscode, { members });
}

type PasscodeDeps = Pick<Deps, "db" | "clock" | "config" | "jobs" | "mailSeal">;

/** One try at a time for each link: until it is compared, a right passcode counts as a wrong one and would use up a try of others. */
const turns = new KeyedTurns();

/**
 * Compares a passcode. Each try is counted before it is compared, so that tries made at once, also at several nodes, can't exceed the
 * limit; the last one that is wrong ends the link.
 * @throws {AppError} `link.passcode` if it is wrong, `link.not_found` if no try is left
 */
export function assertPasscode(
  deps: PasscodeDeps,
  link: FoundLink,
  passcode: string,
  origin: VisitOrigin,
): Promise<void> {
  return turns.run(link.id, () => tryPasscode(deps, link, passcode, origin));
}

async function tryPasscode(
  deps: PasscodeDeps,
  link: FoundLink,
  passcode: string,
  origin: VisitOrigin,
): Promise<void> {
  const tries = await takeTry(deps.db, link.id);
  if (tries === undefined) throw new AppError(linkNotFound);
  if (await verifyPassword(passcode.replace(/\s/g, ""), link.passcodeHash)) {
    await giveBackTry(deps.db, link.id);
    return;
  }
  if (tries >= MAX_WRONG_PASSCODES) await blockLink(deps, link, origin);
  throw passcodeAsked(link, tries);
}

async function blockLink(
  deps: PasscodeDeps,
  link: FoundLink,
  { device, ...origin }: VisitOrigin,
): Promise<void> {
  const now = deps.clock.now();
  await deps.db.transaction(async (tx) => {
    if (!(await endLinkRow(tx, link.id, { at: now, isBlocked: true }))) return;
    const event = { at: now, action: "link.blocked", actorId: null, device, ...origin } as const;
    const events = await eventsAboutStudies(tx, link, event);
    for (const one of events) await recordAudit(tx, one);
    const owner = await findUser(tx, link.accountId);
    const studyId = events[0]?.studyId ?? undefined;
    const { id: linkId, recipient } = link;
    if (owner) await tellAboutPasscodes(deps, tx, owner, { linkId, studyId, recipient, at: now });
  });
}
