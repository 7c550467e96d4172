import * as z from "zod/mini";
import type { AdminPlan, PlanChange } from "../../../shared/api/subscriptions.ts";

const MAX_COUNT = 1_000_000;

/** `1.234,50`, `1234.5`, `R$ 19` as integer cents; `undefined` for anything else. */
export function parseMoney(text: string): number | undefined {
  const plain = text.replace(/^\s*R\$/, "").replace(/\s/g, "");
  const match = /^(\d{1,3}(?:[.,]?\d{3})*|\d+)(?:[.,](\d{1,2}))?$/.exec(plain);
  if (!match) return undefined;
  const whole = Number(match[1]?.replace(/[.,]/g, ""));
  return whole * 100 + Number((match[2] ?? "").padEnd(2, "0"));
}

const count = z.string().check(
  z.refine((text) => /^\d{1,7}$/.test(text.trim()) && Number(text) >= 1 && Number(text) <= MAX_COUNT, {
    error: "validation.invalid",
  }),
);

export const editPlanSchema = z.object({
  name: z
    .string()
    .check(z.trim(), z.minLength(1, "validation.required"), z.maxLength(60, "validation.tooLong")),
  price: z
    .string()
    .check(
      z.refine((text) => text === "" || (parseMoney(text) ?? 0) >= 100, { error: "validation.invalid" }),
    ),
  examLimit: count,
  downloadDeleteLimit: count,
  isOffered: z.boolean(),
});
export type EditPlanValues = z.infer<typeof editPlanSchema>;

export function valuesOfPlan(plan: AdminPlan, locale: string): EditPlanValues {
  const price = new Intl.NumberFormat(locale, { minimumFractionDigits: 2 }).format(plan.price / 100);
  return {
    name: plan.name,
    price: plan.canBeOffered ? price : "",
    examLimit: String(plan.examLimit),
    downloadDeleteLimit: String(plan.downloadDeleteLimit),
    isOffered: plan.isOffered,
  };
}

/** What differs from the plan as it is. */
export function changeOfPlan(plan: AdminPlan, values: EditPlanValues): PlanChange {
  const wanted = {
    name: values.name.trim(),
    examLimit: Number(values.examLimit),
    downloadDeleteLimit: Number(values.downloadDeleteLimit),
    ...(plan.canBeOffered && { price: parseMoney(values.price) ?? plan.price, isOffered: values.isOffered }),
  };
  return Object.fromEntries(
    Object.entries(wanted).filter(([key, value]) => plan[key as keyof AdminPlan] !== value),
  );
}
