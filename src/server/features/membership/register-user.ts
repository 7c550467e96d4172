import type { Register } from "../../../shared/api/register.ts";
import type { Locale } from "../../../shared/locale.ts";
import { plainTaxId } from "../../../shared/rules/cpf-cnpj.ts";
import { addDays } from "../../../shared/rules/days.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import { networkOf } from "../../http/network-of.ts";
import type { RequestOrigin } from "../../http/request-origin.ts";
import { emailTaken, registrationClosed } from "../accounts/accounts.errors.ts";
import { claimAddress } from "../accounts/addresses/claim-address.ts";
import { hashPassword } from "../accounts/passwords/passwords.ts";
import { beginAttempt } from "../accounts/sign-in/throttle.ts";
import { insertUser } from "../accounts/users/users.repo.ts";
import { recordAudit } from "../audit/audit.repo.ts";
import { startSubscription } from "../subscriptions/start-subscription.ts";
import { tellOfWaiting } from "./waiting-accounts.ts";

/**
 * Creates an account of role `user` with a trial subscription. With REGISTRATION=approval it stays unauthorised until an
 * admin authorises it, and the admins are told.
 * @throws {AppError} `auth.registration_closed`, `auth.email_taken`, 429
 */
export async function registerUser(
  deps: Pick<Deps, "db" | "config" | "clock" | "jobs" | "mailSeal">,
  input: Register & { locale: Locale },
  origin: RequestOrigin,
): Promise<{ id: string }> {
  const { db, config, clock } = deps;
  if (config.registration === "closed") throw new AppError(registrationClosed);
  const now = clock.now();
  await beginAttempt(
    db,
    [{ name: "register:address", subject: networkOf(origin.address), limit: 60, windowSeconds: 3600 }],
    now,
  );
  const id = Bun.randomUUIDv7();
  const isAuthorized = config.registration === "open";
  const passwordHash = await hashPassword(input.password);
  await db.transaction(async (tx) => {
    if (!(await claimAddress(tx, input.email, id, now))) throw new AppError(emailTaken);
    const isNew = await insertUser(tx, {
      id,
      name: input.name,
      email: input.email,
      cpfcnpj: plainTaxId(input.cpfcnpj),
      passwordHash,
      role: "user",
      isTrial: true,
      isAuthorized,
      locale: input.locale,
      createdAt: now,
    });
    if (!isNew) throw new AppError(emailTaken);
    if (config.trialDays > 0) {
      const expiresAt = addDays(now, config.trialDays);
      await startSubscription(tx, { userId: id, planSlug: "avaliacao", expiresAt, now });
    }
    if (!isAuthorized) await tellOfWaiting(deps, tx, id);
    await recordAudit(tx, { at: now, action: "user.registered", actorId: id, accountId: id, ...origin });
  });
  return { id };
}
