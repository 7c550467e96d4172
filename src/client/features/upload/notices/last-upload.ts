import { atom } from "jotai";
import type { UploadAnswer } from "../../../../shared/api/upload.ts";

export type SkippedFiles = Pick<UploadAnswer, "skipped" | "skippedCount">;

export type ConflictingFiles = Pick<UploadAnswer, "conflicts" | "conflictCount">;

/** Instances of the last upload whose identifiers other instances already have, until dismissed; undefined if there were none. */
export const lastConflictsAtom = atom<ConflictingFiles | undefined>(undefined);

/** Files that the last upload left out, until the person dismisses them; undefined if there were none. */
export const lastSkippedAtom = atom<SkippedFiles | undefined>(undefined);
