import { atom } from "jotai";
import type { UploadAnswer } from "../../../../shared/api/upload.ts";

export type SkippedFiles = Pick<UploadAnswer, "skipped" | "skippedCount">;

export type ConflictingFiles = Pick<UploadAnswer, "conflicts" | "conflictCount">;

/** Images of the last upload under identifiers that others have, until dismissed; undefined where there were none. */
export const lastConflictsAtom = atom<ConflictingFiles | undefined>(undefined);

/** What the last upload left out, until the person has dismissed it; undefined where it left out nothing. */
export const lastSkippedAtom = atom<SkippedFiles | undefined>(undefined);
