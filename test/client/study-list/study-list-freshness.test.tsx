import "../../support/client/dom-globals.ts";
import { describe, expect, test } from "bun:test";
import { getDefaultStore } from "jotai";
import {
  noFilters,
  studyFiltersAtom,
} from "../../../src/client/features/study-list/filters/study-filters.ts";
import StudyListView from "../../../src/client/features/study-list/study-list-view.tsx";
import type { StorageStatus } from "../../../src/shared/api/studies.ts";
import { screen, withDom } from "../../support/client/dom.ts";
import { pass, settled, withFakeClock } from "../../support/client/fake-clock.ts";
import { type Answer, answerCalls, problem, renderView } from "../../support/client/render-view.tsx";
import { leaveAndComeBack, Revisited } from "../../support/client/revisited.tsx";
import { skull } from "../../support/client/skull-study.ts";
import { listOf } from "../../support/client/study-list.tsx";

const LIST = "GET /api/studies";
const USAGE = "GET /api/subscriptions/usage-stats";

withDom();
withFakeClock("2026-11-21T12:00:00.000Z");

async function show(answer: Answer) {
  getDefaultStore().set(studyFiltersAtom, noFilters);
  const calls = answerCalls({ ...listOf([]), [LIST]: answer });
  await renderView(<Revisited view={<StudyListView />} />);
  await settled();
  return (call = LIST) => calls.filter((made) => made === call).length;
}

const listedAs = (storageStatus: () => StorageStatus) => () =>
  Response.json([{ ...skull, storageStatus: storageStatus() }], { headers: { "X-Total-Count": "1" } });

describe("the list is read again", () => {
  for (const moving of ["local", "transferring"] as const) {
    test(`every 5 s while a study is ${moving}, and not after it has reached the store`, async () => {
      let status: StorageStatus = moving;
      const asked = await show(listedAs(() => status));
      await pass(4_000);
      expect(asked()).toBe(1);
      await pass(1_000);
      expect(asked()).toBe(2);
      await pass(5_000);
      expect(asked()).toBe(3);
      status = "b2";
      await pass(5_000);
      expect(asked()).toBe(4);
      await pass(30_000);
      expect(asked()).toBe(4);
    });
  }

  test("not automatically after a failed transfer", async () => {
    const asked = await show(listedAs(() => "error"));
    await pass(30_000);
    expect(asked()).toBe(1);
  });

  test("when the person returns after a minute and not before, and the usage of the plan on every return", async () => {
    const asked = await show(listedAs(() => "b2"));
    const usage = asked(USAGE);
    await pass(55_000);
    await leaveAndComeBack();
    await settled();
    expect(asked()).toBe(1);
    expect(asked(USAGE)).toBe(usage + 1);
    await pass(10_000);
    await leaveAndComeBack();
    await settled();
    expect(asked()).toBe(2);
  });

  test("twice more when the server fails", async () => {
    const asked = await show(() => problem(500, "internal", "x"));
    await pass(30_000);
    expect(asked()).toBe(3);
    expect(screen.getByText("Erro ao carregar estudos")).toBeTruthy();
  });
});
