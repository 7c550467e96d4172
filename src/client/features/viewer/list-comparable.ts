import type { Study } from "../../../shared/api/studies.ts";
import { studiesApi } from "../studies/studies-api.ts";
import { isSamePatient, orderComparable, type Patient, wordsOf } from "./comparable-studies.ts";

/** As many as a person looks through. */
const MAX_OTHERS = 500;
/** The longest text that the API searches for. */
const MAX_SEARCH = 200;

/** The same patient's other studies that this person may see, as {@link orderComparable} puts them. */
export async function listComparable(study: Study, signal: AbortSignal): Promise<Study[]> {
  const query = queryOf(study);
  if (!query) return [];
  const page = { limit: MAX_OTHERS, sort: "studyDate", order: "desc" } as const;
  const { studies } = await studiesApi.list({ ...page, ...query }, signal);
  return orderComparable(
    study,
    studies.filter((other) => isSamePatient(study, other)),
  );
}

function queryOf({ patientName, patientID }: Patient) {
  const words = wordsOf(patientName).join(" ");
  if (words) return { search: words.slice(0, MAX_SEARCH) };
  return patientID ? { patientID } : undefined;
}
