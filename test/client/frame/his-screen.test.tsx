import "../../support/dom-globals.ts";
import { expect, spyOn, test } from "bun:test";
import { beginSession, endSession } from "../../../src/client/session.ts";
import { withoutConnection } from "../../support/connection.ts";
import { screen, withDom } from "../../support/dom.ts";
import { renderClient } from "../../support/render-client.tsx";
import { answerCalls, helena } from "../../support/render-view.tsx";
import { skull } from "../../support/skull-study.ts";

withDom();

// The module reads the browser's storage when it is imported.
const { default: HisScreen } = await import("../../../src/client/features/frame/his-screen.tsx");

for (const [why, address] of [
  ["logout", "/"],
  ["expired", "/?expired=true"],
] as const) {
  test(`a person without a session (${why}) is sent from /his to ${address}`, async () => {
    const calls = answerCalls({});
    endSession(why);
    const replace = spyOn(window.location, "replace").mockImplementation(() => undefined);
    await renderClient(<HisScreen productName="Exameteca" maxUploadBytes={1} />);
    expect(replace.mock.calls).toEqual([[address]]);
    expect(screen.getByText("Loading...")).toBeTruthy();
    expect(calls).toEqual([]);
    replace.mockRestore();
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
