import { MAX_WRONG_PASSCODES } from "../../../shared/api/links.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import { defineQueue } from "../../jobs/queue.ts";
import { KeyedTurns } from "../../runtime/keyed-turns.ts";
import { verifyPassword } from "../accounts/passwords/passwords.ts";
import { findUser } from "../accounts/users/users.repo.ts";
import { recordAudit } from "../audit/audit.repo.ts";
import { tellAboutPasscodes } from "./link-mails.ts";
import { linkNotFound, linkPasscode } from "./links.errors.ts";
import { endLinkRow, findUsedUpLink, giveBackTry, takeTry } from "./links.repo.ts";
import type { LinkRow } from "./links.table.ts";
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

interface LastTry {
  linkId: string;
  origin: VisitOrigin;
}

/** Ends a link if the server that counted its last try died before it compared the passcode. */
export const lastTryQueue = defineQueue<LastTry>("links.last-try");
/** By then the server that counted the last try has compared it, if it lives. */
const COMPARED_WITHIN_SECONDS = 60;

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
  const tries = await countTry(deps, { linkId: link.id, origin });
  if (tries === undefined) throw new AppError(linkNotFound);
  if (await verifyPassword(passcode.replace(/\s/g, ""), link.passcodeHash)) {
    await giveBackTry(deps.db, link.id);
    return;
  }
  if (tries >= MAX_WRONG_PASSCODES) await blockLink(deps, link, origin);
  throw passcodeAsked(link, tries);
}

/** Counts a try, and has the last one looked at again. */
async function countTry(
  { db, jobs }: PasscodeDeps,
  { linkId, origin }: LastTry,
): Promise<number | undefined> {
  return await db.transaction(async (tx) => {
    const tries = await takeTry(tx, linkId);
    if (tries === MAX_WRONG_PASSCODES)
      await jobs.enqueue(lastTryQueue, { linkId, origin }, { tx, runAfterSeconds: COMPARED_WITHIN_SECONDS });
    return tries;
  });
}

/** Ends a link that has no try left and has not ended: nobody could open it, and its owner was not told. Idempotent. */
export async function blockUsedUp(deps: PasscodeDeps, { linkId, origin }: LastTry): Promise<void> {
  await turns.run(linkId, async () => {
    const link = await findUsedUpLink(deps.db, linkId);
    if (link) await blockLink(deps, link, origin);
  });
}

async function blockLink(
  deps: PasscodeDeps,
  link: Pick<LinkRow, "id" | "accountId" | "recipient">,
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
