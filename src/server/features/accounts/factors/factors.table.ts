import {
  bigint,
  boolean,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uuid,
} from "drizzle-orm/pg-core";
import { users } from "../users/users.table.ts";

const ownerId = () =>
  uuid("user_id")
    .notNull()
    .references(() => users.id, { onDelete: "cascade" });

/** Public keys of authenticators. A signature proves that the user holds the device and that the device verified them. */
export const passkeys = pgTable(
  "passkeys",
  {
    id: uuid().primaryKey(),
    userId: ownerId(),
    /** The credential's id from the authenticator, base64url. */
    credentialId: text("credential_id").notNull().unique("passkeys_credential_id_key"),
    /** COSE_Key, base64url. */
    publicKey: text("public_key").notNull(),
    /** Signatures so far; authenticators that sync leave it at 0. */
    counter: bigint({ mode: "number" }).notNull(),
    transports: text().array().notNull(),
    name: text().notNull(),
    /** Whether the passkey may exist on more than one device. */
    isSyncable: boolean("is_syncable").notNull(),
    isBackedUp: boolean("is_backed_up").notNull(),
    createdAt: timestamp("created_at", { withTimezone: true }).notNull(),
    lastUsedAt: timestamp("last_used_at", { withTimezone: true }),
  },
  (table) => [index("passkeys_user_id_idx").on(table.userId)],
);

/**
 * Answered challenges, kept so that each is accepted only once. A challenge itself carries its purpose and expiry, sealed.
 */
export const usedChallenges = pgTable(
  "used_challenges",
  {
    challengeHash: text("challenge_hash").primaryKey(),
    expiresAt: timestamp("expires_at", { withTimezone: true }).notNull(),
  },
  (table) => [index("used_challenges_expires_at_idx").on(table.expiresAt)],
);

/** The secret that an account shares with its authenticator app. It becomes a factor once a first code has confirmed it. */
export const totpSecrets = pgTable("totp_secrets", {
  userId: ownerId().primaryKey(),
  sealedSecret: text("sealed_secret").notNull(),
  createdAt: timestamp("created_at", { withTimezone: true }).notNull(),
  confirmedAt: timestamp("confirmed_at", { withTimezone: true }),
  /** The newest time step whose code was accepted. That step and older ones are not accepted again. */
  lastStep: integer("last_step"),
  lastUsedAt: timestamp("last_used_at", { withTimezone: true }),
});

/** Codes for users who lost their other factors. Used codes stay until new ones are created. */
export const recoveryCodes = pgTable(
  "recovery_codes",
  {
    userId: ownerId(),
    codeHash: text("code_hash").notNull(),
    createdAt: timestamp("created_at", { withTimezone: true }).notNull(),
    usedAt: timestamp("used_at", { withTimezone: true }),
  },
  (table) => [primaryKey({ columns: [table.userId, table.codeHash] })],
);

export type PasskeyRow = typeof passkeys.$inferSelect;
export type TotpRow = typeof totpSecrets.$inferSelect;
