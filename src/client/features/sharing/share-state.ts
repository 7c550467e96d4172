import { atom } from "jotai";
import type { Study } from "../../../shared/api/studies.ts";

/** The study whose share dialog is open. */
export const sharedStudyAtom = atom<Study | undefined>(undefined);
