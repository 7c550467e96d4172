import { getDefaultStore } from "jotai";
import { eraseKeptInTab } from "../../../src/client/features/session/kept-in-tab.ts";
import {
  noFilters,
  studyFiltersAtom,
} from "../../../src/client/features/study-list/filters/study-filters.ts";
import {
  areRowsRestoredAtom,
  NEWEST_FIRST,
  openStudiesAtom,
  studyPageAtom,
  studySortingAtom,
} from "../../../src/client/features/study-list/pages/list-place.ts";
import StudyListView from "../../../src/client/features/study-list/study-list-view.tsx";
import type { Series, Study } from "../../../src/shared/api/studies.ts";
import type { CurrentUser, Role } from "../../../src/shared/api/users.ts";
import type { Locale } from "../../../src/shared/locale.ts";
import { screen, userEvent } from "./dom.ts";
import { type Answer, answerCalls, renderView } from "./render-view.tsx";

export const series: Series = {
  id: "e1",
  seriesInstanceUID: "2.25.2",
  seriesDescription: null,
  seriesNumber: 3,
  modality: "CT",
  imagesReceived: 1284,
};

export function listOf(studies: Study[], total = studies.length): Record<string, Answer> {
  return {
    "GET /api/studies": () => Response.json(studies, { headers: { "X-Total-Count": String(total) } }),
    "GET /api/studies/s1/series": () => Response.json([series]),
    "GET /api/subscriptions/usage-stats": () => Response.json({}, { status: 404 }),
    "GET /api/subscriptions/my-subscription": () => Response.json({}, { status: 404 }),
  };
}

/** Draws the list as it is first seen; answers the calls that it makes. */
export async function showList(answers: Record<string, Answer>, role: Role = "user", locale?: Locale) {
  eraseKeptInTab();
  return await loadList(answers, { role }, locale);
}

/** Draws the list as a page does that is loaded again: only what the browser stores is left of what was seen before. */
export async function loadList(answers: Record<string, Answer>, user: Partial<CurrentUser>, locale?: Locale) {
  const store = getDefaultStore();
  store.set(studyFiltersAtom, noFilters);
  store.set(studyPageAtom, { pageIndex: 0, filters: noFilters });
  store.set(studySortingAtom, NEWEST_FIRST);
  store.set(areRowsRestoredAtom, false);
  store.set(openStudiesAtom, {});
  const calls = answerCalls(answers);
  await renderView(<StudyListView />, { user, locale });
  return { calls, user: userEvent.setup() };
}

/** The texts of the table's column heads, from left to right. */
export function columnHeads(): (string | null)[] {
  return screen.getAllByRole("columnheader").map((head) => head.textContent);
}
