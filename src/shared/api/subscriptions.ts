import * as z from "zod/mini";

/** `price` in integer cents of BRL. */
export const planSchema = z.object({
  id: z.string(),
  name: z.string(),
  price: z.number(),
  examLimit: z.number(),
  downloadDeleteLimit: z.number(),
});
export type Plan = z.infer<typeof planSchema>;

export const subscriptionSchema = z.object({
  id: z.string(),
  status: z.enum(["active", "pending", "expired"]),
  plan: planSchema,
  startDate: z.string(),
  expiresAt: z.nullable(z.string()),
  currentExamCount: z.number(),
  downloadsThisMonth: z.number(),
  deletesThisMonth: z.number(),
});
export type Subscription = z.infer<typeof subscriptionSchema>;

/** SPEC's usage stats; percentages are whole numbers. */
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
});
export type UsageStats = z.infer<typeof usageStatsSchema>;
