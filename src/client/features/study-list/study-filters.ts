import { atom } from "jotai";
import type { StudyListQuery } from "../../../shared/api/studies.ts";
import { isDateOrEmpty } from "../../ui/date-text.ts";

/** Modalities that the list can be narrowed to. */
export const FILTER_MODALITIES = ["CT", "MR", "US", "CR", "ES", "NM", "PT"] as const;

/** As the fields hold them: dates `YYYY-MM-DD` or what is being typed, an empty text filters nothing. */
export interface StudyFilters {
  patientName: string;
  startDate: string;
  endDate: string;
  modality: "all" | (typeof FILTER_MODALITIES)[number];
  description: string;
  accessionNumber: string;
  patientID: string;
}

export const noFilters: StudyFilters = {
  patientName: "",
  startDate: "",
  endDate: "",
  modality: "all",
  description: "",
  accessionNumber: "",
  patientID: "",
};

/** The longest text that the server takes. */
export const MAX_FILTER_LENGTH = 200;

/** What stands in the filters; kept while the person is in /his. */
export const studyFiltersAtom = atom(noFilters);

type FilterQuery = Pick<StudyListQuery, keyof StudyFilters>;

/** What the server is asked for; a date that is still being typed does not count yet. */
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

/** How many of them narrow the list. */
export function countFilters(filters: Partial<StudyFilters>): number {
  return Object.values(filterQuery({ ...noFilters, ...filters })).filter((value) => value !== undefined)
    .length;
}

/** Whether the dates leave nothing between them. */
export function datesAreSwapped({ startDate, endDate }: StudyFilters): boolean {
  return isWholeDate(startDate) && isWholeDate(endDate) && endDate < startDate;
}

function isWholeDate(text: string): boolean {
  return text !== "" && isDateOrEmpty(text, "date");
}
