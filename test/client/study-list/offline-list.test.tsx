import "../../support/client/dom-globals.ts";
import { expect, test } from "bun:test";
import { keepList, readKeptList } from "../../../src/client/features/study-list/pages/kept-list.ts";
import { beginSession, endSession } from "../../../src/client/session.ts";
import type { SignedInUser } from "../../../src/shared/api/users.ts";
import { cleanup, screen, withDom } from "../../support/client/dom.ts";
import { type Answer, helena as person } from "../../support/client/render-view.tsx";
import { skull } from "../../support/client/skull-study.ts";
import { listOf, showList } from "../../support/client/study-list.tsx";

withDom();

const helena: SignedInUser = { ...person, token: "t" };
const page = { studies: [skull], total: 1, hasSeveralPatients: false };

function cutOff(): Record<string, Answer> {
  Object.defineProperty(navigator, "onLine", { value: false, configurable: true });
  const unreached = () => Promise.reject(new TypeError("failed to fetch"));
  return Object.fromEntries(Object.keys(listOf([])).map((call) => [call, unreached]));
}

test("without a connection the list says so and shows the exams that it showed last", async () => {
  await showList(listOf([skull]));
  await screen.findByText("Tomografia de crânio");
  const kept = readKeptList(person)?.page;
  expect(kept?.studies).toEqual([skull]);
  cleanup();
  await showList({
    ...cutOff(),
    "GET /api/studies": () => {
      // Signing in for this drawing dropped what the one before kept.
      if (kept) keepList(person, kept);
      return Promise.reject(new TypeError("failed to fetch"));
    },
  });
  expect(
    await screen.findByText(/^Sem conexão\. Esta é a sua lista de \d\d-\d\d-\d{4} \d\d:\d\d/),
  ).toBeTruthy();
  expect(screen.getByText("Tomografia de crânio")).toBeTruthy();
});

test("without a connection and without an earlier list, the list says that it could not be loaded", async () => {
  await showList(cutOff());
  expect(await screen.findByText("Erro ao carregar estudos")).toBeTruthy();
});

test("a list that was opened without a connection is read again once there is one", async () => {
  let isCut = true;
  const answers = cutOff();
  const unreached = answers["GET /api/studies"] as Answer;
  const list = listOf([skull])["GET /api/studies"] as Answer;
  await showList({ ...answers, "GET /api/studies": (call) => (isCut ? unreached(call) : list(call)) });
  await screen.findByText("Erro ao carregar estudos");
  isCut = false;
  window.dispatchEvent(new Event("online"));
  expect(await screen.findByText("Tomografia de crânio")).toBeTruthy();
});

test("the kept list is gone after signing out, and another account never sees it", () => {
  for (const keepConnected of [true, false]) {
    beginSession(helena, { keepConnected });
    keepList(helena, page);
    expect(readKeptList(helena)?.page.studies).toHaveLength(1);
    expect(readKeptList({ ...helena, id: "u2" })).toBeUndefined();
    expect(JSON.stringify(localStorage).includes("crânio")).toBe(keepConnected);
    endSession("logout");
    expect(readKeptList(helena)).toBeUndefined();
    expect(JSON.stringify([localStorage, sessionStorage])).not.toContain("crânio");

    beginSession(helena, { keepConnected });
    keepList(helena, page);
    beginSession({ ...helena, id: "u2" }, { keepConnected });
    expect(JSON.stringify([localStorage, sessionStorage])).not.toContain("crânio");
  }
});
