import * as z from "zod/mini";
import type { Call } from "./call.ts";
import { pageLimitSchema } from "./page-limit.ts";
import { studySchema } from "./studies.ts";
import { accountPageSchema } from "./users.ts";

/** `price` in integer cents of BRL. */
export const planSchema = z.object({
  id: z.string(),
  name: z.string(),
  price: z.number(),
  examLimit: z.number(),
  downloadDeleteLimit: z.number(),
  storageBytes: z.number(),
});
export type Plan = z.infer<typeof planSchema>;

/** `pending`: a plan was chosen and its Pix is not paid yet. */
export const subscriptionStatuses = ["active", "pending", "expired"] as const;

export const subscriptionSchema = z.object({
  id: z.string(),
  status: z.enum(subscriptionStatuses),
  plan: planSchema,
  startDate: z.string(),
  expiresAt: z.nullable(z.string()),
  currentExamCount: z.number(),
  /** Bytes that the account keeps at rest, reports and lab exams included. */
  storageUsedBytes: z.number(),
  downloadsThisMonth: z.number(),
  deletesThisMonth: z.number(),
  /** Whether the user may cancel it, which means that it is active. */
  canCancel: z.boolean(),
  /** When its owner cancelled it; null for one that is in force or ran out. */
  cancelledAt: z.nullable(z.string()),
  /** Until when an administrator can restore the exams of a cancelled account. */
  removedUntil: z.nullable(z.string()),
  /** Until when the exams of a subscription that is over are kept, to be seen again once it is renewed. */
  keptUntil: z.nullable(z.string()),
  /** An open Pix payment, whatever the status of the subscription. */
  openPaymentId: z.nullable(z.string()),
});
export type Subscription = z.infer<typeof subscriptionSchema>;

/** Percentages are whole numbers. */
export const usageStatsSchema = z.object({
  planName: z.string(),
  currentExamCount: z.number(),
  examLimit: z.number(),
  examsRemaining: z.number(),
  examUsagePercentage: z.number(),
  totalActionsThisMonth: z.number(),
  actionLimit: z.number(),
  actionsRemaining: z.number(),
  actionUsagePercentage: z.number(),
  downloadsThisMonth: z.number(),
  deletesThisMonth: z.number(),
  lastResetDate: z.string(),
  /** Bytes that the plan allows, and bytes that the account keeps at rest, reports and lab exams included. */
  storageBytes: z.number(),
  storageUsedBytes: z.number(),
  storageRemainingBytes: z.number(),
  storageUsagePercentage: z.number(),
});
export type UsageStats = z.infer<typeof usageStatsSchema>;

export const usageActions = ["upload", "download", "delete"] as const;

/** One activity of the usage history. */
export const usageItemSchema = z.object({
  id: z.string(),
  actionType: z.enum(usageActions),
  studyInstanceUID: z.string(),
  /** As the list shows it now; null if the caller no longer sees it. */
  study: z.nullable(
    z.pick(studySchema, { id: true, studyDescription: true, patientName: true, studyDate: true }),
  ),
  timestamp: z.string(),
});
export type UsageItem = z.infer<typeof usageItemSchema>;

/** The limits of an offered plan, and how many days one payment buys. */
export const offeredPlanSchema = z.extend(planSchema, { periodDays: z.number() });
export type OfferedPlan = z.infer<typeof offeredPlanSchema>;

export const choosePlanSchema = z.object({ planId: z.uuid() });

/** A row of the admin's table. */
export const accountSubscriptionSchema = z.object({
  user: z.object({ id: z.string(), name: z.string(), email: z.string() }),
  plan: planSchema,
  subscription: subscriptionSchema,
});
export type AccountSubscription = z.infer<typeof accountSubscriptionSchema>;

/** Query of `GET /api/subscriptions/all`; without `limit` all are returned, at most 10,000. */
export const subscriptionListQuerySchema = z.extend(accountPageSchema, {
  status: z.optional(z.enum(subscriptionStatuses)),
});
export type SubscriptionListQuery = z.infer<typeof subscriptionListQuerySchema>;

/** A plan as the admin edits it. */
export const adminPlanSchema = z.extend(offeredPlanSchema, {
  /** Whether users can choose it; Avaliação and Cortesia can never be offered. */
  isOffered: z.boolean(),
  canBeOffered: z.boolean(),
  activeUsers: z.number(),
});
export type AdminPlan = z.infer<typeof adminPlanSchema>;

const positiveCount = z
  .int("validation.invalid")
  .check(z.minimum(1, "validation.invalid"), z.maximum(1_000_000, "validation.invalid"));

export const planChangeSchema = z.object({
  name: z.optional(
    z
      .string("validation.required")
      .check(z.trim(), z.minLength(1, "validation.required"), z.maxLength(60, "validation.tooLong")),
  ),
  /** In cents, at least one real. */
  price: z.optional(
    z
      .int("validation.invalid")
      .check(z.minimum(100, "validation.invalid"), z.maximum(100_000_000, "validation.invalid")),
  ),
  examLimit: z.optional(positiveCount),
  downloadDeleteLimit: z.optional(positiveCount),
  /** Between one megabyte and one petabyte. */
  storageBytes: z.optional(
    z
      .int("validation.invalid")
      .check(z.minimum(1024 ** 2, "validation.invalid"), z.maximum(1024 ** 5, "validation.invalid")),
  ),
  isOffered: z.optional(z.boolean()),
});
export type PlanChange = z.infer<typeof planChangeSchema>;

/** The figures of the admin's subscription view; money in cents. */
export const subscriptionSummarySchema = z.object({
  users: z.number(),
  activeSubscriptions: z.number(),
  totalExams: z.number(),
  /** Payments less refunds of the current month (America/Sao_Paulo). */
  monthlyRevenue: z.number(),
  /** The last twelve months, oldest first; `month` is `YYYY-MM`. */
  revenueByMonth: z.array(z.object({ month: z.string(), amount: z.number(), payments: z.number() })),
  plans: z.array(adminPlanSchema),
  /** Pix payments that wait for an admin. */
  pendingPayments: z.number(),
});
export type SubscriptionSummary = z.infer<typeof subscriptionSummarySchema>;

/** The exams of a cancelled account, while they can be restored. */
export const removalSchema = z.object({
  id: z.string(),
  user: z.object({ id: z.string(), name: z.string(), email: z.string() }),
  reason: z.enum(["cancelled", "lapsed"]),
  createdAt: z.string(),
  purgeAfter: z.string(),
  studyCount: z.number(),
  labExamCount: z.number(),
});
export type Removal = z.infer<typeof removalSchema>;

/** What an undo restored, and what it skipped because the same study has been uploaded again. */
export const undoneRemovalSchema = z.object({
  studies: z.number(),
  labExams: z.number(),
  skippedStudies: z.number(),
});
export type UndoneRemoval = z.infer<typeof undoneRemovalSchema>;

export const listPlansCall = {
  method: "GET",
  path: "/api/subscriptions/plans",
  answer: z.array(offeredPlanSchema),
} as const satisfies Call;

export const mySubscriptionCall = {
  method: "GET",
  path: "/api/subscriptions/my-subscription",
  answer: subscriptionSchema,
} as const satisfies Call;

export const usageStatsCall = {
  method: "GET",
  path: "/api/subscriptions/usage-stats",
  answer: usageStatsSchema,
} as const satisfies Call;

export const usageHistoryCall = {
  method: "GET",
  path: "/api/subscriptions/usage-history",
  query: pageLimitSchema,
  answer: z.array(usageItemSchema),
} as const satisfies Call;

export const cancelSubscriptionCall = {
  method: "POST",
  path: "/api/subscriptions/cancel",
  answer: subscriptionSchema,
} as const satisfies Call;

export const choosePlanCall = {
  method: "POST",
  path: "/api/subscriptions/subscribe",
  body: choosePlanSchema,
  answer: subscriptionSchema,
} as const satisfies Call;

export const subscriptionSummaryCall = {
  method: "GET",
  path: "/api/subscriptions/summary",
  answer: subscriptionSummarySchema,
} as const satisfies Call;

export const listSubscriptionsCall = {
  method: "GET",
  path: "/api/subscriptions/all",
  query: subscriptionListQuerySchema,
  answer: z.array(accountSubscriptionSchema),
} as const satisfies Call;

export const changePlanCall = {
  method: "PATCH",
  path: "/api/subscriptions/plans/:id",
  body: planChangeSchema,
  answer: adminPlanSchema,
} as const satisfies Call;

export const listRemovalsCall = {
  method: "GET",
  path: "/api/subscriptions/removals",
  answer: z.array(removalSchema),
} as const satisfies Call;

export const undoRemovalCall = {
  method: "POST",
  path: "/api/subscriptions/removals/:id/undo",
  answer: undoneRemovalSchema,
} as const satisfies Call;
