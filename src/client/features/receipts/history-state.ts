import type { Study } from "../../../shared/api/studies.ts";
import { subjectAtoms } from "../places/views.ts";

/** The study whose history is open. */
export const historySubject = subjectAtoms<Study>("history");
