import * as z from "zod/mini";
import { type CurrentUser, currentUserSchema } from "../../../../shared/api/users.ts";
import { DAY_MS } from "../../../../shared/units.ts";
import { keepWithSession, readKept } from "../../../session.ts";
import { listedStudySchema, type StudyPage } from "../../studies/studies-api.ts";

const MAX_KEPT_STUDIES = 50;
/** As long as a session can last. */
const MAX_AGE_MS = 7 * DAY_MS;

const keptListSchema = z.object({
  user: currentUserSchema,
  /** Epoch milliseconds. */
  keptAt: z.number(),
  page: z.object({
    studies: z.array(listedStudySchema).check(z.maxLength(MAX_KEPT_STUDIES)),
    total: z.number(),
    hasSeveralPatients: z.boolean(),
  }),
});

/** Keeps the list's first page for a visit without a connection; signing out removes it. */
export function keepList(user: CurrentUser, page: StudyPage): void {
  if (page.studies.length <= MAX_KEPT_STUDIES) keepWithSession({ user, keptAt: Date.now(), page });
}

/** The list as this person saw it last; never another person's. */
export function readKeptList(user: CurrentUser): { page: StudyPage; keptAt: Date } | undefined {
  const kept = keptListSchema.safeParse(readKept());
  if (!kept.success || kept.data.user.id !== user.id) return undefined;
  const { page, keptAt } = kept.data;
  return Date.now() - keptAt < MAX_AGE_MS ? { page, keptAt: new Date(keptAt) } : undefined;
}
