import { sql } from "drizzle-orm";
import { bigint, index, integer, pgEnum, pgTable, text, timestamp, unique, uuid } from "drizzle-orm/pg-core";
import { plans } from "../subscriptions/subscriptions.table.ts";

/** `expired` is never stored: it is `pending` with `expiresAt` in the past. */
export const paymentStatus = pgEnum("payment_status", ["pending", "paid", "failed", "refunded"]);
export const pixProvider = pgEnum("pix_provider", ["local", "bacen"]);
/** Status of a devolucao, as API Pix names it. */
export const devolucaoStatus = pgEnum("devolucao_status", ["EM_PROCESSAMENTO", "DEVOLVIDO", "NAO_REALIZADO"]);

/** One charge for one period of a plan, amounts in cents. Rows outlive their users, so there is no reference. */
export const payments = pgTable(
  "payments",
  {
    id: uuid().primaryKey(),
    userId: uuid("user_id").notNull(),
    planId: uuid("plan_id")
      .notNull()
      .references(() => plans.id),
    /** The plan's values when it was chosen: later edits do not change what was bought. */
    planName: text("plan_name").notNull(),
    amountCents: integer("amount_cents").notNull(),
    periodDays: integer("period_days").notNull(),
    provider: pixProvider().notNull(),
    txid: text().notNull().unique(),
    status: paymentStatus().notNull(),
    /** "Pix copia e cola"; null until the PSP has answered. */
    brCode: text("br_code"),
    createdAt: timestamp("created_at", { withTimezone: true }).notNull(),
    expiresAt: timestamp("expires_at", { withTimezone: true }).notNull(),
    /** The last look-up at the PSP. */
    checkedAt: timestamp("checked_at", { withTimezone: true }),
    paidAt: timestamp("paid_at", { withTimezone: true }),
    endToEndId: text("end_to_end_id").unique(),
    /** The admin who confirmed it by hand. */
    confirmedBy: uuid("confirmed_by"),
    /** Why it failed, for the admin: a code, not text. */
    failure: text(),
    /** The period it bought. It moves when an earlier period is refunded and ends early when the plan is changed. */
    periodStart: timestamp("period_start", { withTimezone: true }),
    periodEnd: timestamp("period_end", { withTimezone: true }),
    devolucaoId: text("devolucao_id"),
    devolucaoStatus: devolucaoStatus("devolucao_status"),
    refundedAt: timestamp("refunded_at", { withTimezone: true }),
  },
  (table) => [
    index("payments_user_id_idx").on(table.userId, table.id),
    index("payments_open_idx").on(table.createdAt).where(sql`${table.status} = 'pending'`),
    index("payments_paid_at_idx").on(table.paidAt),
    // Payments whose money can be returned at the PSP, by their last look-up.
    index("payments_returnable_idx")
      .on(table.checkedAt)
      .where(
        sql`${table.provider} = 'bacen' and (${table.status} = 'paid' or (${table.status} = 'failed' and ${table.endToEndId} is not null))`,
      ),
  ],
);

/** The devoluções of a payment at the PSP, whoever asked for them. No personal data is stored. */
export const devolucoes = pgTable(
  "devolucoes",
  {
    id: uuid().primaryKey(),
    paymentId: uuid("payment_id")
      .notNull()
      .references(() => payments.id),
    /** The received Pix that is returned. */
    endToEndId: text("end_to_end_id").notNull(),
    /** The devolução's id at the PSP, unique within one Pix. */
    devolucaoId: text("devolucao_id").notNull(),
    rtrId: text("rtr_id"),
    /** A bigint, because a PSP may send up to ten digits before the decimal point. */
    amountCents: bigint("amount_cents", { mode: "number" }).notNull(),
    /** API Pix `DevolucaoNatureza`. */
    natureza: text().notNull(),
    status: devolucaoStatus().notNull(),
    requestedAt: timestamp("requested_at", { withTimezone: true }),
    settledAt: timestamp("settled_at", { withTimezone: true }),
    /** When this server first saw it. */
    seenAt: timestamp("seen_at", { withTimezone: true }).notNull(),
  },
  (table) => [
    unique("devolucoes_id_key")
      .on(table.paymentId, table.endToEndId, table.devolucaoId, table.rtrId)
      .nullsNotDistinct(),
  ],
);

export type DevolucaoRow = typeof devolucoes.$inferSelect;
export type PaymentRow = typeof payments.$inferSelect;
