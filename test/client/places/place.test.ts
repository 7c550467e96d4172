import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  hasDialog,
  isOver,
  parsePlace,
  pathOf,
  viewNames,
  viewOf,
  withoutStep,
  withStep,
  withViewStep,
} from "../../../src/client/features/places/place.ts";

const anyPlace = fc.record({
  view: fc.constantFrom(...viewNames),
  steps: fc.array(
    fc.record({
      name: fc.stringMatching(/^[a-z-]{1,12}$/),
      id: fc.string({ maxLength: 40 }).filter((id) => id !== "-"),
    }),
    { maxLength: 4 },
  ),
});

describe("a place", () => {
  test("survives a round trip through its path", () => {
    fc.assert(fc.property(anyPlace, (place) => expect(parsePlace(pathOf(place))).toEqual(place)));
  });

  test("of an unreadable path is the home view", () => {
    const home = { view: "welcome", steps: [] } as const;
    for (const path of ["", "/", "/nowhere", "/nowhere/report/1", "listaExames"])
      expect(parsePlace(path)).toEqual(home);
    fc.assert(fc.property(fc.string(), (path) => void parsePlace(path)));
  });

  test("has a bounded number of steps", () => {
    expect(parsePlace(`/listaExames${"/report/1".repeat(50)}`).steps).toHaveLength(4);
  });

  test("separates the view's own state from what is opened over it", () => {
    const tab = withViewStep(parsePlace("/subscription"), "tab", "plans");
    const dialog = withStep(tab, { name: "plan", id: "p1" });
    expect(hasDialog(tab)).toBeFalse();
    expect(hasDialog(dialog)).toBeTrue();
    expect(viewOf(dialog)).toEqual(tab);
    expect(pathOf(withViewStep(dialog, "tab", "accounts"))).toBe("/subscription/tab/accounts/plan/p1");
    expect(withViewStep(tab, "tab", undefined)).toEqual(parsePlace("/subscription"));
  });

  test("is over another place if it only adds steps on top", () => {
    const list = parsePlace("/listaExames");
    const dialog = withStep(list, { name: "report", id: "s1" });
    expect(isOver(dialog, list)).toBeTrue();
    expect(isOver(list, dialog)).toBeFalse();
    expect(isOver(parsePlace("/listaExamesX/report/s1"), list)).toBeFalse();
    expect(withoutStep(dialog, "report")).toEqual(list);
  });
});
