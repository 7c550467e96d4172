import type { IdentityProof } from "../../../../shared/api/factors.ts";
import type { Deps } from "../../../deps.ts";
import { AppError } from "../../../http/app-error.ts";
import { unauthenticated } from "../../../http/http.errors.ts";
import type { Session } from "../../../http/session.ts";
import { assertBudgetsLeft, byAccount } from "../../../mail/mail-budget.ts";
import { wrongCurrentPassword } from "../accounts.errors.ts";
import { assertCurrentPassword } from "../passwords/assert-current-password.ts";
import { findSessionStart } from "../sessions/sessions.repo.ts";
import type { Visitor } from "../sign-in/visitor.ts";
import { findUser } from "../users/users.repo.ts";
import type { UserRow } from "../users/users.table.ts";
import { acceptFactorCode } from "./accept-factor-code.ts";
import { factorRequired, wrongFactor } from "./factors.errors.ts";
import { findPasskey, findSignInMethods } from "./factors.repo.ts";
import { spendAssertion, verifyAssertion } from "./verify-assertion.ts";

/** How long after its sign-in a session may add the first factor without the password. */
const FRESH_MS = 5 * 60_000;

export type ProofDeps = Pick<
  Deps,
  "db" | "clock" | "databaseClock" | "factorSeal" | "jobs" | "mailSeal" | "config"
>;

/**
 * Makes sure that the account's owner changes the factors: by the password and, if the account has a factor, by one of its
 * factors. A stolen session or access to the mailbox is not enough. Uses up a code that is given, unless the owner can't be told of a
 * change now.
 * @throws {AppError} `auth.wrong_current_password`, `auth.factor_required`, `auth.wrong_factor`, 429
 */
export async function proveIdentity(
  deps: ProofDeps,
  session: Session,
  proof: IdentityProof,
  origin: Visitor,
): Promise<UserRow> {
  const user = await findUser(deps.db, session.userId);
  if (!user) throw new AppError(unauthenticated);
  if (!proof.currentPassword) throw new AppError(wrongCurrentPassword);
  await assertCurrentPassword(deps, user, proof.currentPassword, origin);
  await assertOwnerIsTold(deps, user);
  const methods = await findSignInMethods(deps.db, user.id);
  if (methods.length > 0) await assertOwnFactor(deps, session, user, proof, origin);
  return user;
}

/**
 * Like {@link proveIdentity}, but an account's first factor needs no proof within five minutes of the sign-in. A password that is
 * given has to be right all the same.
 */
export async function proveIdentityToAdd(
  deps: ProofDeps,
  session: Session,
  proof: IdentityProof,
  origin: Visitor,
): Promise<UserRow> {
  const { db, clock } = deps;
  const [user, methods, openedAt] = await Promise.all([
    findUser(db, session.userId),
    findSignInMethods(db, session.userId),
    findSessionStart(db, session.id),
  ]);
  const ageMs = clock.now().getTime() - (openedAt?.getTime() ?? 0);
  if (!user || methods.length > 0 || ageMs > FRESH_MS || proof.currentPassword)
    return await proveIdentity(deps, session, proof, origin);
  await assertOwnerIsTold(deps, user);
  return user;
}

/** Every change of the factors is mailed. */
async function assertOwnerIsTold({ db, clock }: ProofDeps, { id, email }: UserRow): Promise<void> {
  await assertBudgetsLeft(db, byAccount(id, clock.now()), email);
}

async function assertOwnFactor(
  deps: ProofDeps,
  session: Session,
  user: UserRow,
  proof: IdentityProof,
  origin: Visitor,
): Promise<void> {
  if (proof.passkey) {
    if (!(await isOwnPasskey(deps, session, proof.passkey))) throw new AppError(wrongFactor);
  } else if (proof.code) {
    if (!(await acceptFactorCode(deps, user, proof.code, origin))) throw new AppError(wrongFactor);
  } else throw new AppError(factorRequired);
}

async function isOwnPasskey(
  deps: ProofDeps,
  session: Session,
  assertion: NonNullable<IdentityProof["passkey"]>,
): Promise<boolean> {
  const passkey = await findPasskey(deps.db, assertion.id);
  if (passkey?.userId !== session.userId) return false;
  const use = { purpose: "prove", sessionId: session.id } as const;
  const verified = await verifyAssertion(deps, passkey, assertion, use);
  if (!verified) return false;
  return await deps.db.transaction((tx) => spendAssertion(tx, passkey, verified, deps.clock.now()));
}
