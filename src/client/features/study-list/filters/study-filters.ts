import { atom } from "jotai";
import type { StudyListQuery } from "../../../../shared/api/studies.ts";
import { isDateOrEmpty } from "../../../ui/text/date-text.ts";

/** Modalities that the list can be narrowed to. */
export const FILTER_MODALITIES = ["CT", "MR", "US", "CR", "ES", "NM", "PT"] as const;

/** The values of the filter fields. Dates are `YYYY-MM-DD` or unfinished input; an empty text filters nothing. */
export interface StudyFilters {
  /** Words that the study must have anywhere. */
  search: string;
  patientName: string;
  startDate: string;
  endDate: string;
  modality: "all" | (typeof FILTER_MODALITIES)[number];
  description: string;
  accessionNumber: string;
  patientID: string;
}

export const noFilters: StudyFilters = {
  search: "",
  patientName: "",
  startDate: "",
  endDate: "",
  modality: "all",
  description: "",
  accessionNumber: "",
  patientID: "",
};

/** Maximum length of a text that the server accepts. */
export const MAX_FILTER_LENGTH = 200;

/** The values of the filters, kept while the person is in /his. */
export const studyFiltersAtom = atom(noFilters);

type FilterQuery = Pick<StudyListQuery, keyof StudyFilters>;

/** The query for the server. It leaves out dates that are not typed completely. */
export function filterQuery(filters: StudyFilters): FilterQuery {
  const { modality, startDate, endDate, ...texts } = filters;
  const entries = Object.entries(texts).map(([name, text]) => [name, text.trim() || undefined]);
  return {
    ...Object.fromEntries(entries),
    startDate: isWholeDate(startDate) ? startDate : undefined,
    endDate: isWholeDate(endDate) ? endDate : undefined,
    modality: modality === "all" ? undefined : modality,
  };
}

/** The number of filters that narrow the list. */
export function countFilters(filters: Partial<StudyFilters>): number {
  return Object.values(filterQuery({ ...noFilters, ...filters })).filter((value) => value !== undefined)
    .length;
}

/** Whether the end date is before the start date. */
export function datesAreSwapped({ startDate, endDate }: StudyFilters): boolean {
  return isWholeDate(startDate) && isWholeDate(endDate) && endDate < startDate;
}

function isWholeDate(text: string): boolean {
  return text !== "" && isDateOrEmpty(text, "date");
}
