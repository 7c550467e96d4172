import * as z from "zod/mini";
import type { AdminPlan, PlanChange } from "../../../shared/api/subscriptions.ts";
import { GIB, MIB } from "../../../shared/units.ts";

const MAX_COUNT = 1_000_000;

/** `20` or `0,5` gigabytes as bytes, rounded to the megabyte; `undefined` unless it is a size from a megabyte to a petabyte. */
function parseGigabytes(text: string): number | undefined {
  if (!/^\d{1,7}([.,]\d{1,3})?$/.test(text.trim())) return undefined;
  const bytes = Math.round(Number(text.trim().replace(",", ".")) * 1024) * MIB;
  return bytes >= MIB && bytes <= 1024 ** 5 ? bytes : undefined;
}

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

/** A plan that can't be offered shows no price. */
export function editPlanSchema({ canBeOffered }: Pick<AdminPlan, "canBeOffered">) {
  return z.object({
    name: z
      .string()
      .check(z.trim(), z.minLength(1, "validation.required"), z.maxLength(60, "validation.tooLong")),
    price: z.string().check(
      z.refine((text) => text !== "" || !canBeOffered, { error: "validation.required" }),
      z.refine((text) => text === "" || (parseMoney(text) ?? 0) >= 100, { error: "validation.invalid" }),
    ),
    examLimit: count,
    downloadDeleteLimit: count,
    storage: z
      .string()
      .check(z.refine((text) => parseGigabytes(text) !== undefined, { error: "validation.invalid" })),
    isOffered: z.boolean(),
  });
}
export type EditPlanValues = z.infer<ReturnType<typeof editPlanSchema>>;

export function valuesOfPlan(plan: AdminPlan, locale: string): EditPlanValues {
  const price = new Intl.NumberFormat(locale, { minimumFractionDigits: 2 }).format(plan.price / 100);
  return {
    name: plan.name,
    price: plan.canBeOffered ? price : "",
    examLimit: String(plan.examLimit),
    downloadDeleteLimit: String(plan.downloadDeleteLimit),
    storage: gigabytesText(plan, locale),
    isOffered: plan.isOffered,
  };
}

function gigabytesText({ storageBytes }: AdminPlan, locale: string): string {
  const format = new Intl.NumberFormat(locale, { maximumFractionDigits: 3, useGrouping: false });
  return format.format(storageBytes / GIB);
}

/** The field shows a size rounded to three digits, so an untouched field changes nothing. */
function isOtherSize(plan: AdminPlan, text: string): boolean {
  return parseGigabytes(text) !== parseGigabytes(gigabytesText(plan, "en-US"));
}

/** The values that differ from the present plan. */
export function changeOfPlan(plan: AdminPlan, values: EditPlanValues): PlanChange {
  const wanted = {
    name: values.name.trim(),
    examLimit: Number(values.examLimit),
    downloadDeleteLimit: Number(values.downloadDeleteLimit),
    ...(isOtherSize(plan, values.storage) && { storageBytes: parseGigabytes(values.storage) }),
    ...(plan.canBeOffered && { price: parseMoney(values.price) ?? plan.price, isOffered: values.isOffered }),
  };
  return Object.fromEntries(
    Object.entries(wanted).filter(([key, value]) => plan[key as keyof AdminPlan] !== value),
  );
}
