import { emailSchema, nameSchema, newPasswordSchema } from "../../shared/api/account-fields.ts";
import { type Role, roleSchema, roles } from "../../shared/api/users.ts";
import type { Config } from "../config.ts";
import { connectDatabase, type Db } from "../db/client.ts";
import { leasesEnded } from "../db/leased-statement.ts";
import { migrate } from "../db/migrate.ts";
import { migrations } from "../db/migrations.ts";
import { claimAddress } from "../features/accounts/addresses/claim-address.ts";
import { hashPassword } from "../features/accounts/passwords/passwords.ts";
import { changeByOperator, type OperatorChange } from "../features/accounts/users/change-by-operator.ts";
import { findUserByEmail, insertUser } from "../features/accounts/users/users.repo.ts";
import { seedPlans } from "../features/subscriptions/seed-plans.ts";
import { startSubscription } from "../features/subscriptions/start-subscription.ts";
import type { Program } from "./program.ts";
import { reachDatabase, reachInstallation } from "./reach-database.ts";
import { tell } from "./tell.ts";
import { checked, parseOptions, UsageError } from "./usage.ts";

/** `user add` and `user set`, for whoever can run commands on the machine. */
export async function userCommand(program: Program, config: Config, args: string[]): Promise<number> {
  const [verb, ...rest] = args;
  if (verb !== "add" && verb !== "set") throw new UsageError("user add, or user set");
  // What is wrong with the options is told before a database is made or started for them.
  const run = verb === "add" ? adding(rest) : setting(rest);
  // An account may be the first thing in a new database, such as before a rebuild.
  await using database = await (verb === "add" ? reachDatabase : reachInstallation)(program, config);
  await migrate(database.url, migrations);
  const pool = connectDatabase({ url: database.url, maxConnections: 2 });
  try {
    await seedPlans(pool.db);
    const message = await run(pool.db);
    await leasesEnded();
    await tell(message);
  } finally {
    await pool.close();
  }
  return 0;
}

const option = { type: "string" } as const;
const PASSWORD_RULE = "6 to 1,024 characters";

/** Reads the options of a new account. @throws {UsageError} if one is not valid */
function adding(args: string[]): (db: Db) => Promise<string> {
  const { values: options } = parseOptions({
    args,
    options: { email: option, name: option, role: option, password: option },
  });
  const email = checked("--email", emailSchema.safeParse(options.email));
  const name = checked("--name", nameSchema.safeParse(options.name ?? email), "3 to 200 characters");
  const role = checked("--role", roleSchema.safeParse(options.role ?? "user"), roles.join(", "));
  const given = options.password;
  const password =
    given === undefined
      ? randomPassword()
      : checked("--password", newPasswordSchema.safeParse(given), PASSWORD_RULE);
  return async (db) => {
    await addUser(db, { email, name, role, password });
    return given === undefined ? `Added ${email} (password: ${password})` : `Added ${email}`;
  };
}

/** Adds an account. @throws {UsageError} if the e-mail is taken */
export async function addUser(
  db: Db,
  { email, name, role, password }: { email: string; name: string; role: Role; password: string },
): Promise<void> {
  const id = Bun.randomUUIDv7();
  const now = new Date();
  const passwordHash = await hashPassword(password);
  await db.transaction(async (tx) => {
    const isFree = await claimAddress(tx, email, id, now);
    if (!isFree || !(await insertUser(tx, { id, name, email, role, passwordHash, createdAt: now }))) {
      throw new UsageError(`There is already an account with the e-mail ${email}.`);
    }
    if (role !== "admin")
      await startSubscription(tx, { userId: id, planSlug: "cortesia", expiresAt: null, now });
  });
}

/** Reads the options of a change. @throws {UsageError} if one is not valid */
function setting(args: string[]): (db: Db) => Promise<string> {
  const { values: options } = parseOptions({
    args,
    options: { email: option, password: option, "new-email": option, "two-factor": option },
  });
  const email = checked("--email", emailSchema.safeParse(options.email));
  const change: OperatorChange = {};
  if (options.password !== undefined)
    change.password = checked("--password", newPasswordSchema.safeParse(options.password), PASSWORD_RULE);
  if (options["new-email"] !== undefined)
    change.email = checked("--new-email", emailSchema.safeParse(options["new-email"]));
  const twoFactor = options["two-factor"];
  if (twoFactor !== undefined) {
    if (twoFactor !== "on" && twoFactor !== "off") throw new UsageError("--two-factor is on or off");
    change.skipsTwoFactor = twoFactor === "off";
  }
  return async (db) => {
    const user = await findUserByEmail(db, email);
    if (!user) throw new UsageError(`There is no account with the e-mail ${email}.`);
    if (Object.keys(change).length === 0) throw new UsageError("Nothing to set.");
    if (!(await changeByOperator(db, user.id, change, new Date())))
      throw new UsageError("That e-mail is taken.");
    return `Changed ${email}; its sessions, access tokens, mailed links and remembered devices have ended`;
  };
}

function randomPassword(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(12))).toString("base64url");
}
