import type { Study } from "../../../shared/api/studies.ts";
import { subjectAtoms } from "../places/views.ts";

/** The study whose share dialog is open. */
export const sharedSubject = subjectAtoms<Study>("share");
export const sharedStudyAtom = sharedSubject.valueAtom;
