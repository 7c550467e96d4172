/** The views of /his. */
export const viewNames = [
  "welcome",
  "uploadExames",
  "listaExames",
  "receber",
  "laudo",
  "viewer",
  "examesLab",
  "profile",
  "users",
  "subscription",
  "paymentHistory",
  "support",
  "help",
  "integrity",
] as const;

export type ViewName = (typeof viewNames)[number];

/** A dialog or the viewer over a view, or a part of how the view itself stands: see `viewSteps`. */
export interface Step {
  name: string;
  /** The id of what the step is about; empty where there is only one such thing. */
  id: string;
}

/** Steps that say how the view itself stands: what it is about, its tab, its rows. All others lie over the view. */
const viewSteps = ["of", "tab", "rows"] as const;
export type ViewStep = (typeof viewSteps)[number];

function isViewStep({ name }: Step): boolean {
  return viewSteps.some((known) => known === name);
}

/** Where a person is in /his: one step of the browser's history. */
export interface Place {
  view: ViewName;
  /** From the view outwards; the last one is on top. Those of the view itself come first. */
  steps: readonly Step[];
}

/** The product opens no place with more steps. */
const MAX_STEPS = 4;

/** `/listaExames/report/0190…`: the view, then each step's name and id. */
export function pathOf({ view, steps }: Place): string {
  return `/${[view, ...steps.flatMap(({ name, id }) => [name, id === "" ? "-" : id])].map(encodeURIComponent).join("/")}`;
}

/** Reads a path; an unknown view is read as the home view. */
export function parsePlace(path: string): Place {
  const [, name, ...rest] = path.split("/").map(decode);
  const view = viewNames.find((candidate) => candidate === name);
  if (!view) return { view: "welcome", steps: [] };
  const steps: Step[] = [];
  for (let at = 0; at + 1 < rest.length && steps.length < MAX_STEPS; at += 2) {
    const [stepName = "", id = ""] = rest.slice(at, at + 2);
    steps.push({ name: stepName, id: id === "-" ? "" : id });
  }
  return { view, steps };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return ""; // a broken escape names nothing
  }
}

export function isSamePlace(one: Place, other: Place): boolean {
  return pathOf(one) === pathOf(other);
}

/** Whether `place` is `below` with more on top. */
export function isOver(place: Place, below: Place): boolean {
  return pathOf(place).startsWith(`${pathOf(below)}/`);
}

/** The view as it stands, with nothing over it. */
export function viewOf({ view, steps }: Place): Place {
  return { view, steps: steps.filter(isViewStep) };
}

/** Whether a dialog or the viewer is open over the view. */
export function hasDialog({ steps }: Place): boolean {
  return !steps.every(isViewStep);
}

/** The place whose view stands otherwise; without an id the view stands as it does at first. */
export function withViewStep({ view, steps }: Place, name: ViewStep, id: string | undefined): Place {
  const others = steps.filter((step) => step.name !== name);
  const own = id === undefined ? [] : [{ name, id }];
  return {
    view,
    steps: [...others.filter(isViewStep), ...own, ...others.filter((step) => !isViewStep(step))],
  };
}

/** The place with `step` on top; a step of the same name is replaced. */
export function withStep({ view, steps }: Place, step: Step): Place {
  return { view, steps: [...steps.filter(({ name }) => name !== step.name), step] };
}

/** The place below the step of this name. */
export function withoutStep({ view, steps }: Place, name: string): Place {
  const index = steps.findIndex((step) => step.name === name);
  return { view, steps: index < 0 ? steps : steps.slice(0, index) };
}
