import "../../support/client/dom-globals.ts";
import { describe, expect, test } from "bun:test";
import { getDefaultStore, useAtom } from "jotai";
import { currentPath } from "../../../src/client/features/places/his-location.ts";
import { useDialogValue } from "../../../src/client/features/places/use-dialog-value.ts";
import { useFoundSubject } from "../../../src/client/features/places/use-found-subject.ts";
import {
  dialogIdAtom,
  firstPlaceAtom,
  holdAtom,
  openAtom,
  subjectAtoms,
  viewAtom,
  viewStateAtom,
  viewSubjectAtoms,
} from "../../../src/client/features/places/views.ts";
import { screen, withDom } from "../../support/client/dom.ts";
import { renderView, shownView } from "../../support/client/render-view.tsx";
import { travel, write } from "../../support/client/travel.ts";

withDom();

interface Exam {
  id: string;
  name: string;
}

const store = getDefaultStore();
const dialogSubject = subjectAtoms<Exam>("exam");
const paperSubject = viewSubjectAtoms<Exam>("laudo", "listaExames");
const isFilteringAtom = openAtom("filters");
const tabAtom = viewStateAtom("tab", "first");
const openedIdAtom = dialogIdAtom("details");
const skull = { id: "s1", name: "Crânio" };
const kept = { exams: undefined as readonly Exam[] | undefined };

function Shown() {
  const [view] = useAtom(viewAtom);
  const [dialog] = useAtom(dialogSubject.valueAtom);
  const [paper] = useAtom(paperSubject.valueAtom);
  const [isFiltering] = useAtom(isFilteringAtom);
  const [tab] = useAtom(tabAtom);
  const [opened] = useDialogValue(openedIdAtom, kept.exams);
  useFoundSubject(dialogSubject, kept.exams);
  const open = [dialog?.name, paper?.name, opened?.name, isFiltering && "filters"];
  return <p>{[view, tab !== "first" && tab, ...open].filter(Boolean).join(" ")}</p>;
}

const shown = () => screen.getByText(/^\w/).textContent;

async function show(): Promise<void> {
  kept.exams = undefined;
  await renderView(<Shown />);
}

describe("the browser's history", () => {
  test("moves back and forward through the views", async () => {
    await show();
    await write(() => store.set(viewAtom, "listaExames"));
    await write(() => store.set(viewAtom, "support"));
    await travel("back");
    expect(shown()).toBe("listaExames");
    await travel("back");
    expect(shown()).toBe("welcome");
    await travel("forward");
    expect(shown()).toBe("listaExames");
  });

  test("keeps the address at /his, except for the subscription's own address", async () => {
    await show();
    await write(() => store.set(viewAtom, "listaExames"));
    await write(() => store.set(dialogSubject.valueAtom, skull));
    expect(`${window.location.pathname}${window.location.search}${window.location.hash}`).toBe("/his");
    await write(() => store.set(viewAtom, "subscription"));
    expect(window.location.pathname).toBe("/his/subscription");
    await travel("back");
    expect([window.location.pathname, shown()]).toEqual(["/his", "listaExames"]);
  });

  test("closes a dialog by Back, and opens it again by Forward", async () => {
    await show();
    await write(() => store.set(viewAtom, "listaExames"));
    await write(() => store.set(dialogSubject.valueAtom, skull));
    expect(shown()).toBe("listaExames Crânio");
    await travel("back");
    expect(shown()).toBe("listaExames");
    await travel("forward");
    expect(shown()).toBe("listaExames Crânio");
  });

  test("keeps no step for a closed dialog: the next Back leaves the view", async () => {
    await show();
    await write(() => store.set(viewAtom, "listaExames"));
    await write(() => store.set(isFilteringAtom, true));
    await write(() => store.set(isFilteringAtom, false));
    expect(shown()).toBe("listaExames");
    await travel("back");
    expect(shown()).toBe("welcome");
  });

  test("keeps no step for a dialog that led to a view", async () => {
    await show();
    await write(() => store.set(viewAtom, "listaExames"));
    await write(() => store.set(dialogSubject.valueAtom, skull));
    await write(() => store.set(paperSubject.valueAtom, skull));
    expect(shown()).toBe("laudo Crânio");
    await travel("back");
    expect(shown()).toBe("listaExames");
  });

  test("handles a dialog that opens while another closes", async () => {
    await show();
    await write(() => store.set(isFilteringAtom, true));
    await write(() => {
      store.set(isFilteringAtom, false);
      store.set(dialogSubject.valueAtom, skull);
    });
    expect(shown()).toBe("welcome Crânio");
    await travel("back");
    expect(shown()).toBe("welcome");
  });

  test("brings back a view and its subject when the page is reloaded", async () => {
    await show();
    await write(() => store.set(viewAtom, "listaExames"));
    await write(() => store.set(dialogSubject.valueAtom, { id: "s2", name: "Tórax" }));
    store.set(firstPlaceAtom, currentPath());
    expect(shown()).toBe("listaExames Tórax");
  });

  test("fetches a subject that is not in memory, and closes the dialog of one that no longer exists", async () => {
    await show();
    await write(() => store.set(viewAtom, "listaExames"));
    const state = { place: "/listaExames/exam/s9", openedFrom: "/listaExames" };
    await write(() => window.history.pushState(state, "", "/his"));
    expect(store.get(dialogSubject.missingIdAtom)).toBe("s9");
    expect(shown()).toBe("listaExames");
    await write(() => store.set(dialogSubject.missingIdAtom, { id: "s9", name: "Abdome" }));
    expect(shown()).toBe("listaExames Abdome");
    await write(() => window.history.pushState({ place: "/listaExames/exam/s8" }, "", "/his"));
    await write(() => store.set(dialogSubject.missingIdAtom, "gone"));
    expect([shown(), currentPath()]).toEqual(["listaExames", "/listaExames"]);
  });

  test("adds no step for a tab, but a reload and a Back restore the shown tab", async () => {
    await show();
    kept.exams = [skull];
    await write(() => store.set(viewAtom, "listaExames"));
    await write(() => store.set(tabAtom, "second"));
    await write(() => store.set(openedIdAtom, skull.id));
    expect(shown()).toBe("listaExames second Crânio");
    store.set(firstPlaceAtom, currentPath());
    expect(shown()).toBe("listaExames second Crânio");
    await travel("back");
    expect(shown()).toBe("listaExames second");
    await travel("forward");
    await write(() => store.set(tabAtom, "third"));
    expect(shown()).toBe("listaExames third Crânio");
    await write(() => store.set(viewAtom, "listaExames"));
    expect(shown()).toBe("listaExames third");
    await travel("back");
    await travel("back");
    expect(shown()).toBe("welcome");
  });

  test("keeps no step for a dialog whose subject is missing", async () => {
    await show();
    kept.exams = [skull];
    await write(() => store.set(viewAtom, "listaExames"));
    await write(() => store.set(openedIdAtom, "gone"));
    expect([shown(), currentPath()]).toEqual(["listaExames", "/listaExames"]);
  });

  test("stays in a view with unsaved work until it is done", async () => {
    await show();
    await write(() => store.set(viewAtom, "uploadExames"));
    store.set(holdAtom, true);
    await travel("back");
    expect(shownView()).toBe("uploadExames");
    await write(() => store.set(viewAtom, "welcome"));
    await travel("back");
    expect([shown(), currentPath()]).toEqual(["uploadExames", "/uploadExames"]);
    store.set(holdAtom, false);
    await travel("back");
    expect(shown()).toBe("welcome");
  });

  test("stays at a dialog that would lose something, until all who asked for it are done", async () => {
    await show();
    await write(() => store.set(isFilteringAtom, true));
    store.set(holdAtom, true);
    store.set(holdAtom, true);
    store.set(holdAtom, false);
    await travel("back");
    expect([shown(), currentPath()]).toEqual(["welcome filters", "/welcome/filters/-"]);
    store.set(holdAtom, false);
    await travel("back");
    expect([shown(), currentPath()]).toEqual(["welcome", "/welcome"]);
  });

  test("opens the home view if it names no place", async () => {
    await show();
    for (const state of [null, 7, "x", { place: 3 }, { place: "/nowhere" }, { place: "/subscription" }]) {
      await write(() => window.history.pushState(state, "", "/his"));
      expect(shown()).toBe("welcome");
    }
  });
});
