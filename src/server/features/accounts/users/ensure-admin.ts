import { emailSchema } from "../../../../shared/api/account-fields.ts";
import { ConfigError, SMTP_WITHOUT_ADMIN } from "../../../config.ts";
import type { Deps } from "../../../deps.ts";
import { recordAudit } from "../../audit/audit.repo.ts";
import { hashPassword } from "../passwords/passwords.ts";
import { countUsersOfRole, insertUser } from "./users.repo.ts";

export interface FirstAdmin {
  email: string;
  /** Set only if it was generated. It is shown once and stored only as a hash. */
  generatedPassword: string | undefined;
}

/**
 * Creates an admin if none exists, from ADMIN_EMAIL and ADMIN_PASSWORD or with a generated password. Returns `undefined` if
 * there is one already.
 * @throws {ConfigError} if the first admin would get no mail, or could not sign in
 */
export async function ensureAdmin(
  deps: Pick<Deps, "db" | "config" | "clock">,
): Promise<FirstAdmin | undefined> {
  const { db, config, clock } = deps;
  if ((await countUsersOfRole(db, "admin")) > 0) return undefined;
  if (config.smtpUrl && !config.adminEmail) {
    throw new ConfigError([SMTP_WITHOUT_ADMIN]);
  }
  const email = config.adminEmail ?? "admin@exameteca.local";
  if (!emailSchema.safeParse(email).success) throw new ConfigError([cannotSignIn(email)]);
  const password = config.adminPassword ?? generatePassword();
  const id = Bun.randomUUIDv7();
  const now = clock.now();
  const passwordHash = await hashPassword(password);
  const isNew = await db.transaction(async (tx) => {
    const inserted = await insertUser(tx, {
      id,
      name: "Administrador",
      email,
      passwordHash,
      role: "admin",
      createdAt: now,
    });
    if (inserted) await recordAudit(tx, { at: now, action: "user.registered", actorId: null, accountId: id });
    return inserted;
  });
  if (!isNew) return undefined;
  return { email, generatedPassword: config.adminPassword ? undefined : password };
}

/** The settings take any address that gets mail, such as root@localhost; accounts have those of the internet. */
function cannotSignIn(email: string): string {
  return `ADMIN_EMAIL must be an address such as admin@example.com for the first admin to sign in with; it is "${email}"`;
}

/** 20 characters that can't be confused when typed: about 100 bits. */
function generatePassword(): string {
  const alphabet = "abcdefghijkmnpqrstuvwxyz23456789";
  const bytes = crypto.getRandomValues(new Uint8Array(20));
  return Array.from(bytes, (byte) => alphabet[byte % alphabet.length]).join("");
}
