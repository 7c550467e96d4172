import type { Study } from "../../../shared/api/studies.ts";
import { subjectAtoms, viewSubjectAtoms } from "../places/views.ts";

/** The study whose report dialog is open. */
export const reportAskedSubject = subjectAtoms<Study>("report");
export const reportAskedAtom = reportAskedSubject.valueAtom;

/** The study whose report the report view shows. */
export const shownReportSubject = viewSubjectAtoms<Study>("laudo", "listaExames");
export const shownReportAtom = shownReportSubject.valueAtom;
