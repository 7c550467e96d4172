import "../../support/dom-globals.ts";
import { expect, test } from "bun:test";
import { QueryClientProvider } from "@tanstack/react-query";
import { useCurrentUser } from "../../../src/client/features/session/use-current-user.ts";
import { createQueryClient } from "../../../src/client/query-client.ts";
import {
  announceSessionEnd,
  beginSession,
  currentToken,
  endSession,
  restoreSession,
} from "../../../src/client/session.ts";
import { noteSignedOut } from "../../../src/client/signed-out.ts";
import { act, screen, waitFor, withDom } from "../../support/dom.ts";
import { renderClient } from "../../support/render-client.tsx";
import { helena } from "../../support/render-view.tsx";

withDom();

function Probe() {
  return <p>{useCurrentUser().user?.name ?? "nobody"}</p>;
}

test("a tab that opens while another person signs in elsewhere shows whose session its calls carry", async () => {
  endSession("logout");
  const tomas = { ...helena, id: "01900000-0000-7000-8000-000000000002", name: "Tomás Prado" };
  const people: Record<string, object> = { "Bearer of-helena": helena, "Bearer of-tomas": tomas };
  localStorage.setItem("token", "of-helena");
  let isFirst = true;
  globalThis.fetch = (async (_path: string, init: RequestInit) => {
    const { Authorization = "" } = init.headers as Record<string, string>;
    // Another tab begins a session that stays, before the first answer comes.
    if (isFirst) localStorage.setItem("token", "of-tomas");
    isFirst = false;
    return Response.json(people[Authorization]);
  }) as typeof fetch;
  restoreSession();
  await renderClient(
    <QueryClientProvider client={createQueryClient()}>
      <Probe />
    </QueryClientProvider>,
  );
  await screen.findByText(/Prado|Duarte/);
  expect([screen.getByText(/Prado|Duarte/).textContent, currentToken()]).toEqual(["Tomás Prado", "of-tomas"]);
});

test("signing out in another tab ends the same session here, also if the server is out of reach by then", async () => {
  endSession("logout");
  beginSession({ ...helena, token: "of-helena" }, { keepConnected: false });
  globalThis.fetch = (async () => Response.json(helena)) as unknown as typeof fetch;
  await renderClient(
    <QueryClientProvider client={createQueryClient()}>
      <Probe />
    </QueryClientProvider>,
  );
  await screen.findByText(helena.name);
  globalThis.fetch = (async () => {
    throw new TypeError("Failed to fetch");
  }) as unknown as typeof fetch;
  // The other tab has the same session, and a storage of its own.
  noteSignedOut("of-helena");
  await act(async () => announceSessionEnd("logout"));
  await waitFor(() => expect(screen.getByText("nobody")).toBeTruthy());
  expect(sessionStorage.length).toBe(0);
});
