import { atom } from "jotai";
import type { UploadAnswer } from "../../../shared/api/upload.ts";

export type SkippedFiles = Pick<UploadAnswer, "skipped" | "skippedCount">;

/** What the last upload left out, until the person has dismissed it; undefined where it left out nothing. */
export const lastSkippedAtom = atom<SkippedFiles | undefined>(undefined);
