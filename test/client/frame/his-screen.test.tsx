import "../../support/client/dom-globals.ts";
import { describe, expect, spyOn, test } from "bun:test";
import { getDefaultStore } from "jotai";
import { pickToKeepAtom } from "../../../src/client/features/local-view/kept-pick.ts";
import { currentPath } from "../../../src/client/features/places/his-location.ts";
import { firstPlaceAtom } from "../../../src/client/features/places/views.ts";
import { keepInTab } from "../../../src/client/features/session/kept-in-tab.ts";
import { dropKeptLink, keepLink, readKeptLink } from "../../../src/client/features/session/kept-link.ts";
import { knownEndAtom } from "../../../src/client/features/session/known-end.ts";
import { EMPTY_FORM } from "../../../src/client/features/upload/exam-form/exam-form.ts";
import { addJobAtom, clearJobsAtom } from "../../../src/client/features/upload/tray/upload-jobs.ts";
import { beginSession, endSession, refreshSessionUser, restoreSession } from "../../../src/client/session.ts";
import { withoutConnection } from "../../support/client/connection.ts";
import { act, cleanup, screen, waitFor, withDom } from "../../support/client/dom.ts";
import { renderClient } from "../../support/client/render-client.tsx";
import { answerCalls, helena } from "../../support/client/render-view.tsx";
import { skull } from "../../support/client/skull-study.ts";

withDom();

// The module reads the browser's storage when it is imported.
const { default: HisScreen } = await import("../../../src/client/features/frame/his-screen.tsx");

for (const [why, address, knownEnd] of [
  ["logout", "/", undefined],
  ["logout", "/?account=deleted", "deleted"],
  ["expired", "/?expired=true", undefined],
  ["expired", "/?expired=true", "logout"],
  ["expired", "/?password=changed", "password"],
] as const) {
  test(`a person without a session (${knownEnd ?? why}) is sent from /his to ${address}`, async () => {
    const calls = answerCalls({});
    getDefaultStore().set(knownEndAtom, knownEnd);
    endSession(why);
    const replace = spyOn(window.location, "replace").mockImplementation(() => undefined);
    await renderClient(<HisScreen productName="Exameteca" maxUploadBytes={1} />);
    expect(replace.mock.calls).toEqual([[address]]);
    expect(screen.getByText("Loading...")).toBeTruthy();
    expect(calls).toEqual([]);
    replace.mockRestore();
    getDefaultStore().set(knownEndAtom, undefined);
  });
}

test("a person without a session or a connection is told so, and sent on once there is one", async () => {
  answerCalls({});
  endSession("logout");
  using connection = withoutConnection();
  const replace = spyOn(window.location, "replace").mockImplementation(() => undefined);
  await renderClient(<HisScreen productName="Exameteca" maxUploadBytes={1} />);
  expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("Sem conexão");
  expect(screen.getByRole("status").textContent).toContain("Ninguém entrou na conta aqui.");
  expect(replace).not.toHaveBeenCalled();
  await connection.end();
  expect(replace.mock.calls).toEqual([["/"]]);
  replace.mockRestore();
});

test("what a patient's home shows is asked for before the frame around it is drawn", async () => {
  const nobody = () => Response.json({ unread: 0, notifications: [] });
  const missing = () => new Response(null, { status: 404 });
  const me = { ...helena, termsAcceptedAt: "2026-01-01T00:00:00.000Z" };
  const calls = answerCalls({
    "GET /api/auth/me": () => Response.json(me),
    "GET /api/subscriptions/my-subscription": () => new Promise(() => {}),
    "GET /api/subscriptions/usage-stats": missing,
    "GET /api/users/exam-count": () => Response.json({ count: 1 }),
    "GET /api/links": () => Response.json([]),
    "GET /api/notifications": nobody,
    "GET /api/studies": () => Response.json([skull], { headers: { "X-Total-Count": "1" } }),
    "GET /api/studies/s1/thumbnail": () => new Response(null, { status: 204 }),
    "GET /api/shared-with-me": () =>
      Response.json({ total: 0, freshTotal: 0, fresh: [], seen: [], awaiting: [] }),
  });
  beginSession({ ...me, token: "t0ken" }, { keepConnected: false });
  await renderClient(<HisScreen productName="Exameteca" maxUploadBytes={1} />);
  const home = ["GET /api/studies", "GET /api/shared-with-me", "GET /api/notifications"];
  expect([...new Set(calls)].filter((call) => home.includes(call))).toEqual(home);
  await screen.findByRole("heading", { level: 1 });
});

test("what another person left in the tab is erased as soon as somebody else is in /his", async () => {
  answerCalls({});
  keepInTab("01900000-0000-7000-8000-00000000000b", "study-rows", { search: "Prado" });
  beginSession(
    { ...helena, termsAcceptedAt: "2026-01-01T00:00:00.000Z", token: "t0ken" },
    { keepConnected: false },
  );
  await renderClient(<HisScreen productName="Exameteca" maxUploadBytes={1} />);
  await waitFor(() => expect(JSON.stringify({ ...sessionStorage })).not.toContain("Prado"));
});

test("a page opened without a connection sends nothing as somebody else who has logged in by the time there is one", async () => {
  const me = { ...helena, termsAcceptedAt: "2026-01-01T00:00:00.000Z" };
  localStorage.setItem("token", "of-helena");
  localStorage.setItem("kept-with-session", JSON.stringify({ user: me }));
  restoreSession();
  const tokens = new Set<string | undefined>();
  let answer = (): Response => {
    throw new TypeError("Failed to fetch");
  };
  globalThis.fetch = (async (_path: string, init?: RequestInit) => {
    const { Authorization } = (init?.headers ?? {}) as Record<string, string>;
    tokens.add(Authorization);
    return answer();
  }) as unknown as typeof fetch;
  const replace = spyOn(window.location, "replace").mockImplementation(() => undefined);
  using connection = withoutConnection();
  await renderClient(<HisScreen productName="Exameteca" maxUploadBytes={1} />);
  await screen.findAllByText(me.name);
  localStorage.setItem("token", "of-tomas");
  answer = () => new Response(null, { status: 401 });
  await connection.end();
  await waitFor(() => expect(replace.mock.calls).toEqual([["/?expired=true"]]));
  expect([...tokens]).toEqual(["Bearer of-helena"]);
  expect(localStorage.getItem("token")).toBe("of-tomas");
  replace.mockRestore();
});

describe("a person whose session expired", () => {
  const me = { ...helena, termsAcceptedAt: "2026-01-01T00:00:00.000Z" };
  const place = "/profile/tab/access/token/-";

  /** Signs in and draws /his; the server answers nothing but who is asking. */
  async function openHis(person = me): Promise<void> {
    answerCalls({ "GET /api/auth/me": () => Response.json(person) });
    beginSession({ ...person, token: "t0ken" }, { keepConnected: false });
    getDefaultStore().set(firstPlaceAtom, "/welcome");
    await renderClient(<HisScreen productName="Exameteca" maxUploadBytes={1} />);
  }

  /** The session ends while /his shows the place; then the entry page is another document. */
  async function leaveAt(reason: "expired" | "logout"): Promise<void> {
    window.history.replaceState({ place }, "", "/his");
    await openHis();
    const replace = spyOn(window.location, "replace").mockImplementation(() => undefined);
    await act(async () => endSession(reason));
    expect(replace.mock.calls).toEqual([[reason === "expired" ? "/?expired=true" : "/"]]);
    replace.mockRestore();
    cleanup();
    window.history.replaceState(null, "", "/his");
  }

  test("is told at the login that their upload stopped, whatever ended the session", async () => {
    await openHis();
    const store = getDefaultStore();
    const upload = {
      ...{ zip: new Blob(["PK"]), fileName: "exame.zip", prefilled: undefined, contents: undefined },
      ...{ fileCount: 1, keptCount: 1, films: [], dispose: async () => {} },
    };
    const state = { stage: "sending", transfer: { loadedBytes: 1, totalBytes: 2 } } as const;
    const source = { kind: "zip", name: "exame.zip", sizeBytes: 2 } as const;
    await act(async () => {
      store.set(addJobAtom, { id: "j1", source, counts: {}, upload, form: EMPTY_FORM, state });
    });
    const replace = spyOn(window.location, "replace").mockImplementation(() => undefined);
    store.set(knownEndAtom, "password");
    await act(async () => endSession("expired"));
    expect(replace.mock.calls).toEqual([["/?password=changed&uploads=stopped"]]);
    replace.mockRestore();
    store.set(clearJobsAtom);
    store.set(knownEndAtom, undefined);
  });

  test("is back where they were once they sign in again, and only then", async () => {
    await leaveAt("expired");
    await openHis();
    expect(currentPath()).toBe(place);
    cleanup();
    window.history.replaceState(null, "", "/his");
    await openHis();
    expect(currentPath()).toBe("/welcome");
  });

  test("leaves nobody else where they were", async () => {
    await leaveAt("expired");
    await openHis({ ...me, id: "01900000-0000-7000-8000-000000000002" });
    expect(currentPath()).toBe("/welcome");
    cleanup();
    await openHis();
    expect(currentPath()).toBe("/welcome");
  });

  test("and who opens a view from a mail is there once they have signed in", async () => {
    beginSession({ ...me, token: "t0ken" }, { keepConnected: false });
    sessionStorage.clear();
    restoreSession();
    window.history.replaceState(null, "", "/his/subscription");
    const replace = spyOn(window.location, "replace").mockImplementation(() => undefined);
    answerCalls({});
    await renderClient(<HisScreen productName="Exameteca" maxUploadBytes={1} />);
    expect(replace.mock.calls).toEqual([["/"]]);
    replace.mockRestore();
    cleanup();
    window.history.replaceState(null, "", "/his");
    await openHis();
    expect(window.location.pathname).toBe("/his/subscription");
    window.history.replaceState(null, "", "/his");
  });

  test("begins at the home view if they signed out themselves, and what they typed is erased", async () => {
    keepInTab(me.id, "support", { message: "meia frase" });
    await leaveAt("logout");
    expect(sessionStorage.getItem("kept-in-tab")).toBeNull();
    await openHis();
    expect(currentPath()).toBe("/welcome");
  });
});

describe("a person who left a link's page to sign in", () => {
  const shared = { pathname: "/v/a-link", hash: "#its-secret" };

  async function openAs(user: typeof helena) {
    answerCalls({ "GET /api/auth/me": () => Response.json(user) });
    beginSession({ ...user, token: "t0ken" }, { keepConnected: false });
    const replace = spyOn(window.location, "replace").mockImplementation(() => undefined);
    await renderClient(<HisScreen productName="Exameteca" maxUploadBytes={1} />);
    return replace;
  }

  test("is back there once they have accepted the terms, and not before", async () => {
    keepLink(shared, Date.now());
    const replace = await openAs({ ...helena, termsAcceptedAt: null });
    expect(replace).not.toHaveBeenCalled();
    await act(async () => refreshSessionUser({ ...helena, termsAcceptedAt: "2026-01-01T00:00:00.000Z" }));
    expect(replace.mock.calls).toEqual([["/v/a-link#its-secret"]]);
    expect(readKeptLink(Date.now())).toBeUndefined();
    replace.mockRestore();
  });

  test("stays with the files that they want to keep, which another page would lose", async () => {
    keepLink(shared, Date.now());
    const file = new File(["PK"], "disco.zip");
    getDefaultStore().set(pickToKeepAtom, { kind: "zip", file });
    const replace = await openAs({ ...helena, termsAcceptedAt: null });
    await act(async () => refreshSessionUser({ ...helena, termsAcceptedAt: "2026-01-01T00:00:00.000Z" }));
    expect(replace).not.toHaveBeenCalled();
    expect(readKeptLink(Date.now())).toBeUndefined();
    getDefaultStore().set(pickToKeepAtom, undefined);
    replace.mockRestore();
  });

  test("leaves it behind when they log out instead", async () => {
    keepLink(shared, Date.now());
    const replace = await openAs({ ...helena, termsAcceptedAt: null });
    await act(async () => endSession("logout"));
    expect(readKeptLink(Date.now())).toBeUndefined();
    replace.mockRestore();
  });

  for (const pathname of ["//elsewhere.example/v/a", "/v/../his", "https://elsewhere.example/", "/v/a?b"]) {
    test(`is led to no other page, such as ${pathname}`, () => {
      keepLink({ pathname, hash: "" }, Date.now());
      expect(readKeptLink(Date.now())).toBeUndefined();
      dropKeptLink();
    });
  }
});

test("a person who deleted their account is told so, although the page hears that its own session ended", async () => {
  const me = { ...helena, termsAcceptedAt: "2026-01-01T00:00:00.000Z" };
  let isOver = false;
  answerCalls({
    "GET /api/auth/me": () => (isOver ? new Response(null, { status: 401 }) : Response.json(me)),
  });
  beginSession({ ...me, token: "t0ken" }, { keepConnected: false });
  await renderClient(<HisScreen productName="Exameteca" maxUploadBytes={1} />);
  const replace = spyOn(window.location, "replace").mockImplementation(() => undefined);
  const heard = Promise.withResolvers<void>();
  const channel = new BroadcastChannel("session");
  channel.onmessage = () => heard.resolve();
  await act(async () => {
    isOver = true;
    getDefaultStore().set(knownEndAtom, "deleted");
    endSession("logout");
    await heard.promise;
  });
  channel.close();
  await act(async () => await new Promise((resolve) => setTimeout(resolve, 0)));
  expect(replace.mock.calls).toEqual([["/?account=deleted"]]);
  replace.mockRestore();
  getDefaultStore().set(knownEndAtom, undefined);
});
