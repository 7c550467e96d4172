import { atom, type WritableAtom } from "jotai";
import { leaveTo, pushPath, replacePath } from "./his-location.ts";
import {
  hasDialog,
  isOver,
  isSamePlace,
  type Place,
  parsePlace,
  pathOf,
  type ViewName,
  type ViewStep,
  viewOf,
  withoutStep,
  withStep,
  withViewStep,
} from "./place.ts";

export type { ViewName } from "./place.ts";

const shownPlace = atom<Place>({ view: "welcome", steps: [] });

/** The place that is shown. It follows the browser's history, which `usePlaceOfHistory` reports. */
export const placeAtom = atom((get) => get(shownPlace));

/** How many parts of the page would lose something if the shown place were left: while there are any, Back and the menu lead nowhere. */
const holders = atom(0);

/** A part of the page needs the shown place to stay, or no longer does. */
export const holdAtom = atom(null, (get, set, holds: boolean) =>
  set(holders, get(holders) + (holds ? 1 : -1)),
);

/** Goes to another place as a new step of the history. From a dialog, the new place replaces the dialog's step. */
const goAtom = atom(null, (get, set, place: Place) => {
  const shown = get(shownPlace);
  if (isSamePlace(place, shown)) return;
  if (get(holders) > 0 && place.view !== shown.view) return;
  if (hasDialog(shown) && !isOver(place, shown)) replacePath(pathOf(place));
  else pushPath(pathOf(place));
  set(shownPlace, place);
});

/** The browser's history has another place now: by Back, Forward, or a reload. */
export const arriveAtom = atom(null, (get, set, path: string) => {
  const place = parsePlace(path);
  const shown = get(shownPlace);
  if (isSamePlace(place, shown)) return;
  if (get(holders) > 0) {
    pushPath(pathOf(shown));
    return;
  }
  set(shownPlace, place);
});

/** The place that the page was opened or reloaded at. */
export const firstPlaceAtom = atom(null, (_get, set, path: string) => set(shownPlace, parsePlace(path)));

/** The one view that is shown. Write it to go elsewhere. */
export const viewAtom = atom(
  (get) => get(shownPlace).view,
  (get, set, view: ViewName) => {
    const shown = get(shownPlace);
    set(goAtom, view === shown.view ? viewOf(shown) : { view, steps: [] });
  },
);

/** What the person asked for last that goes to another view once its answer has come. */
const lastAsked = atom({});
/**
 * For what goes to another view once an answer has come. Written when it is asked for, it returns whether the person is still in the same
 * view and asked for nothing of the kind since: an answer that comes late takes nobody away.
 */
export const awaitHereAtom = atom(null, (get, set): (() => boolean) => {
  const { view } = get(shownPlace);
  const asked = {};
  set(lastAsked, asked);
  return () => get(shownPlace).view === view && get(lastAsked) === asked;
});

const leaveAtom = atom(null, (get, set, below: Place) => {
  if (isSamePlace(below, get(shownPlace))) return;
  leaveTo(pathOf(below));
  set(shownPlace, below);
});

/** How the view stands, such as its tab. A change adds no step to the history; a reload brings the view back as it stood. */
export function viewStateAtom(name: ViewStep, atFirst: string): WritableAtom<string, [string], void> {
  return atom(
    (get) => get(shownPlace).steps.find((step) => step.name === name)?.id ?? atFirst,
    (get, set, id: string) => {
      const place = withViewStep(get(shownPlace), name, id === atFirst ? undefined : id);
      replacePath(pathOf(place));
      set(shownPlace, place);
    },
  );
}

/** Whether something without a subject is open over the view; a step of the history. */
export function openAtom(name: string): WritableAtom<boolean, [boolean], void> {
  return atom(
    (get) => get(shownPlace).steps.some((step) => step.name === name),
    (get, set, open: boolean) => {
      const shown = get(shownPlace);
      if (open) set(goAtom, withStep(shown, { name, id: "" }));
      else set(leaveAtom, withoutStep(shown, name));
    },
  );
}

/** Id of what the only dialog over the view is about. */
export function dialogIdAtom(name: string): WritableAtom<string | undefined, [string | undefined], void> {
  return atom(
    (get) => get(shownPlace).steps.find((step) => step.name === name)?.id,
    (get, set, id: string | undefined) => {
      const shown = get(shownPlace);
      if (id === undefined) set(leaveAtom, withoutStep(shown, name));
      else set(goAtom, withStep(viewOf(shown), { name, id }));
    },
  );
}

/** What something open over the view is about, such as the study of a dialog. */
export interface Subject<Value> {
  /** Write a value to open, undefined to close. Undefined too while a reloaded page has not found the value. */
  valueAtom: WritableAtom<Value | undefined, [Value | undefined], void>;
  /** Id of a value that the history names and nobody has brought yet; write the value, or that it is gone. */
  missingIdAtom: WritableAtom<string | undefined, [Value | "gone"], void>;
  /** Write the id of a value that may be gone, so that it has to be found again. */
  forgetAtom: WritableAtom<null, [string], void>;
}

/** What is open over the view by the name of a step; the history keeps the id alone. */
export function subjectAtoms<Value extends { id: string }>(name: string): Subject<Value> {
  return subjectsOf({
    idIn: ({ steps }) => steps.find((step) => step.name === name)?.id,
    over: (shown, id) => withStep(shown, { name, id }),
    below: (shown) => withoutStep(shown, name),
  });
}

const SUBJECT = "of" satisfies ViewStep;

/** What a view is about: writing a value goes to the view, undefined goes to the one that it was opened from. */
export function viewSubjectAtoms<Value extends { id: string }>(
  view: ViewName,
  openedFrom: ViewName,
): Subject<Value> {
  return subjectsOf({
    idIn: (place) => (place.view === view ? place.steps.find(({ name }) => name === SUBJECT)?.id : undefined),
    over: (_shown, id) => ({ view, steps: [{ name: SUBJECT, id }] }),
    below: (place) => (place.view === view ? { view: openedFrom, steps: [] } : place),
  });
}

interface SubjectPlaces {
  idIn(place: Place): string | undefined;
  over(shown: Place, id: string): Place;
  below(shown: Place): Place;
}

/** How many values Back and Forward find again without asking the server. */
const MAX_KNOWN = 50;

function subjectsOf<Value extends { id: string }>({ idIn, over, below }: SubjectPlaces): Subject<Value> {
  const knownAtom = atom<ReadonlyMap<string, Value>>(new Map<string, Value>());
  const idAtom = atom((get) => idIn(get(shownPlace)));
  const rememberAtom = atom(null, (get, set, value: Value) =>
    set(knownAtom, new Map([...get(knownAtom)].slice(1 - MAX_KNOWN)).set(value.id, value)),
  );
  return {
    valueAtom: atom(
      (get) => get(knownAtom).get(get(idAtom) ?? ""),
      (get, set, value: Value | undefined) => {
        if (!value) {
          set(leaveAtom, below(get(shownPlace)));
          return;
        }
        set(rememberAtom, value);
        set(goAtom, over(get(shownPlace), value.id));
      },
    ),
    missingIdAtom: atom(
      (get) => {
        const id = get(idAtom);
        return id === undefined || get(knownAtom).has(id) ? undefined : id;
      },
      (get, set, value: Value | "gone") => {
        if (value === "gone") set(leaveAtom, below(get(shownPlace)));
        else set(rememberAtom, value);
      },
    ),
    forgetAtom: atom(null, (get, set, id: string) =>
      set(knownAtom, new Map([...get(knownAtom)].filter(([known]) => known !== id))),
    ),
  };
}
