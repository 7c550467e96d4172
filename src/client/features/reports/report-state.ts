import { atom } from "jotai";
import type { Study } from "../../../shared/api/studies.ts";

/** The study whose report dialog is open. */
export const reportAskedAtom = atom<Study | undefined>(undefined);

/** The study whose report the report view shows. */
export const shownReportAtom = atom<Study | undefined>(undefined);
