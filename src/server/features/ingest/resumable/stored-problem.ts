import * as z from "zod/mini";
import type { Problem } from "../../../../shared/api/problem.ts";
import type { Locale } from "../../../../shared/locale.ts";
import { AppError } from "../../../http/app-error.ts";
import { internal } from "../../../http/http.errors.ts";
import { problemOf } from "../../../http/problem.ts";

const storedProblemSchema = z.object({
  status: z.number(),
  code: z.string(),
  text: z.object({ id: z.string(), message: z.string() }),
  values: z.optional(z.record(z.string(), z.union([z.string(), z.number()]))),
  members: z.optional(z.record(z.string(), z.unknown())),
  requestId: z.string(),
});

/** A failure without a language, which whoever reads it brings. */
export function storeProblem(
  { kind, options: { values, members } }: AppError,
  requestId: string,
): z.infer<typeof storedProblemSchema> {
  const { status, code, text } = kind;
  return { status, code, text, ...(values && { values }), ...(members && { members }), requestId };
}

/** A stored failure in the reader's language; one that can't be read is `internal`. */
export function readProblem(stored: unknown, locale: Locale): Problem {
  const parsed = storedProblemSchema.safeParse(stored);
  if (!parsed.success) return problemOf(locale, new AppError(internal), "");
  const { status, code, text, values, members, requestId } = parsed.data;
  // The numbers come from our own failures.
  const kind = { status: status as AppError["kind"]["status"], code, text };
  return problemOf(
    locale,
    new AppError(kind, { ...(values && { values }), ...(members && { members }) }),
    requestId,
  );
}
