import type * as z from "zod/mini";
import type { Visit, visitRequestSchema } from "../../../shared/api/links.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import { networkOf } from "../../http/network-of.ts";
import { hashSecret } from "../accounts/mailed-links/secrets.ts";
import { assertAttemptLeft, beginAttempt } from "../accounts/sign-in/throttle.ts";
import { findUser } from "../accounts/users/users.repo.ts";
import { recordAudit } from "../audit/audit.repo.ts";
import { tellAboutOpening } from "./link-mails.ts";
import { isLinkOpen } from "./link-standing.ts";
import { linkNotFound } from "./links.errors.ts";
import { findAttempt, insertVisit, lockLink, takeMail, takeOpening } from "./links.repo.ts";
import { assertPasscode, passcodeAsked } from "./passcode.ts";
import { presentVisit } from "./present-visit.ts";
import { MAX_OPENINGS_KEPT } from "./read-links.ts";
import { eventsAboutStudies } from "./visit-audit.ts";
import type { VisitOrigin } from "./visit-origin.ts";
import { signVisit } from "./visit-token.ts";
import { type FoundLink, findLinkBySecret, listStudiesOfLink } from "./visits.repo.ts";

type VisitDeps = Pick<Deps, "db" | "clock" | "config" | "jobs" | "mailSeal" | "tokens">;

const FAILURES_AN_ADDRESS = 100;
const WINDOW_SECONDS = 15 * 60;
/** Openings of one link by one network: each is a row of the owner's audit for every study of the link. */
const OPENINGS_AN_HOUR = 200;
const HOUR_SECONDS = 3600;
const MAILED_EVERY_MS = 3600_000;
/** For so long a browser that got no answer may open the link again, without another opening. */
const ATTEMPT_MS = 10 * 60_000;

/**
 * Opens a link for somebody without an account. A failure is counted against their network before it is known, so that guesses made
 * at once can't exceed the limit.
 * @throws {AppError} `link.not_found`, alike for every link that does not open; `link.passcode`; 429
 */
export async function openVisit(
  deps: VisitDeps,
  input: z.output<typeof visitRequestSchema>,
  origin: VisitOrigin,
): Promise<Visit> {
  const { db, clock } = deps;
  const now = clock.now();
  const network = networkOf(origin.address);
  const failures = {
    name: "visit:address",
    subject: network,
    limit: FAILURES_AN_ADDRESS,
    windowSeconds: WINDOW_SECONDS,
  };
  const attempt = await beginAttempt(db, [failures], now);
  const link = await findLinkBySecret(db, hashSecret(input.secret));
  if (!link || link.id !== input.link.toLowerCase() || !isLinkOpen(link, now))
    throw new AppError(linkNotFound);
  const attemptHash = input.attempt === undefined ? undefined : hashSecret(input.attempt);
  const begun = attemptHash && { attemptHash, since: new Date(now.getTime() - ATTEMPT_MS) };
  if (isUsedUp(link) && !(begun && (await findAttempt(db, link.id, begun)))) throw new AppError(linkNotFound);
  const studies = await listStudiesOfLink(db, link.id);
  if (studies.length === 0) throw new AppError(linkNotFound);
  if (link.passcodeHash !== null && !input.passcode) {
    // A page has to ask first whether there is a passcode, so this is no failure.
    await attempt.succeed();
    throw passcodeAsked(link);
  }
  const opened = {
    name: "visit:opened",
    subject: `${link.id} ${network}`,
    limit: OPENINGS_AN_HOUR,
    windowSeconds: HOUR_SECONDS,
  };
  // Before the passcode, which costs time to compare. The secret was right, so it is no guess.
  await assertAttemptLeft(db, opened, now).catch(async (error) => {
    await attempt.succeed();
    throw error;
  });
  if (link.passcodeHash !== null) await assertPasscode(deps, link, input.passcode ?? "", origin);
  const open = async () => {
    await beginAttempt(db, [opened], now);
    return await recordVisit(deps, link, origin, { now, begun: begun || undefined });
  };
  // Secret and passcode were right, so only a link that ended or was used up meanwhile makes it a failure.
  const visitId = await open().catch(async (error) => {
    if (!(error instanceof AppError && error.kind === linkNotFound)) await attempt.succeed();
    throw error;
  });
  await attempt.succeed();
  const token = await signVisit(deps.tokens, { linkId: link.id, visitId });
  return await presentVisit(deps, { token, link, studies });
}

function isUsedUp({ maxOpenings, openings }: FoundLink): boolean {
  return maxOpenings !== null && openings >= maxOpenings;
}

/**
 * Counts the opening, and records it for the owner, unless it is the attempt of an earlier one whose answer was lost. Returns the visit.
 * @throws {AppError} `link.not_found` if the link ended or was used up meanwhile
 */
async function recordVisit(
  deps: VisitDeps,
  link: FoundLink,
  { device, ...origin }: VisitOrigin,
  { now, begun }: { now: Date; begun: { attemptHash: string; since: Date } | undefined },
): Promise<string> {
  const id = Bun.randomUUIDv7();
  return await deps.db.transaction(async (tx) => {
    if (begun) {
      if (!(await lockLink(tx, link.id, now))) throw new AppError(linkNotFound);
      const earlier = await findAttempt(tx, link.id, begun);
      if (earlier) return earlier;
    }
    if (!(await takeOpening(tx, link.id, now))) throw new AppError(linkNotFound);
    const { address } = origin;
    await insertVisit(
      tx,
      { id, linkId: link.id, at: now, address, device, attemptHash: begun?.attemptHash },
      MAX_OPENINGS_KEPT,
    );
    const event = { at: now, action: "link.opened", actorId: null, device, ...origin } as const;
    const events = await eventsAboutStudies(tx, link, event);
    for (const one of events) await recordAudit(tx, one);
    const owner = await findUser(tx, link.accountId);
    if (owner && (await takeMail(tx, link.id, now, MAILED_EVERY_MS)))
      await tellAboutOpening(deps, tx, owner, {
        linkId: link.id,
        recipient: link.recipient,
        device,
        at: now,
        studyId: events[0]?.studyId ?? undefined,
      });
    return id;
  });
}
