import type { Locale } from "../../../shared/locale.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import { tooManyRequests } from "../../http/http.errors.ts";
import { composeMail } from "../../mail/compose-mail.ts";
import { enqueueMail } from "../../mail/mail.jobs.ts";
import { findUserByEmail } from "../users/users.repo.ts";
import type { UserRow } from "../users/users.table.ts";
import { codeMail } from "./auth-mails.ts";
import { findChallenge, replaceChallenge } from "./second-factor.repo.ts";
import { hashCode, newCode } from "./secrets.ts";
import { beginAttempt } from "./throttle.ts";

const CODE_MS = 10 * 60_000;
/** How long after the right password a code may be sent again. */
const PASSWORD_MS = 10 * 60_000;
const MAILS_AN_HOUR = 15;

type CodeDeps = Pick<Deps, "db" | "clock" | "config" | "jobs" | "mailSeal">;

/**
 * Makes a code for a sign-in whose password was right just now and mails it; a former one is dead.
 * @throws {AppError} 429 where the account got too many within the hour
 */
export async function sendNewCode(
  deps: CodeDeps,
  user: UserRow,
  locale: Locale,
  passwordAt: Date = deps.clock.now(),
): Promise<void> {
  const now = deps.clock.now();
  await beginAttempt(
    deps.db,
    [{ name: "code:mail", subject: user.id, limit: MAILS_AN_HOUR, windowSeconds: 3600 }],
    now,
  );
  const id = Bun.randomUUIDv7();
  const code = newCode();
  const { productName } = deps.config;
  await deps.db.transaction(async (tx) => {
    await replaceChallenge(tx, {
      id,
      userId: user.id,
      codeHash: hashCode(code, id),
      createdAt: passwordAt,
      expiresAt: new Date(now.getTime() + CODE_MS),
    });
    await enqueueMail(deps, tx, composeMail(codeMail(code), { to: user.email, locale, productName }));
  });
}

/** No code's hash: a sign-in that waits for a factor of the account's own, which the mailbox is not. */
const NO_MAILED_CODE = "";

/** Lets a sign-in whose password was right just now wait for a factor of the account's own. */
export async function openChallengeWithoutMail({ db, clock }: CodeDeps, user: UserRow): Promise<void> {
  const now = clock.now();
  await replaceChallenge(db, {
    id: Bun.randomUUIDv7(),
    userId: user.id,
    codeHash: NO_MAILED_CODE,
    createdAt: now,
    expiresAt: new Date(now.getTime() + PASSWORD_MS),
  });
}

/** `resend-code`: only for a sign-in whose password was right within ten minutes; says nothing either way. */
export async function resendCode(deps: CodeDeps, input: { email: string; locale: Locale }): Promise<void> {
  const now = deps.clock.now();
  const user = await findUserByEmail(deps.db, input.email);
  const challenge = user && (await findChallenge(deps.db, user.id, now));
  if (!user || !challenge || challenge.codeHash === NO_MAILED_CODE) return;
  if (now.getTime() - challenge.createdAt.getTime() > PASSWORD_MS) return;
  try {
    await sendNewCode(deps, user, input.locale, challenge.createdAt);
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== tooManyRequests) throw error;
  }
}
