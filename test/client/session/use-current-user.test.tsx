import "../../support/client/dom-globals.ts";
import { expect, test } from "bun:test";
import { QueryClientProvider } from "@tanstack/react-query";
import { useRef } from "react";
import { createQueryClient } from "../../../src/client/calls/query-client.ts";
import { useCurrentUser } from "../../../src/client/features/session/use-current-user.ts";
import {
  announceSessionEnd,
  beginSession,
  currentToken,
  endSession,
  holdSession,
  restoreSession,
} from "../../../src/client/session.ts";
import { noteSignedOut } from "../../../src/client/signed-out.ts";
import { act, cleanup, screen, userEvent, waitFor, withDom } from "../../support/client/dom.ts";
import { renderClient } from "../../support/client/render-client.tsx";
import { helena } from "../../support/client/render-view.tsx";

withDom();

function Probe() {
  const { user, error, retry } = useCurrentUser();
  const reads = useRef(new Set<Error>()).current;
  if (error) reads.add(error);
  return (
    <button type="button" data-reads={reads.size} onClick={retry}>
      {user?.name ?? "nobody"}
    </button>
  );
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

test("a tab without a connection stays its person's when another one signs in elsewhere and stays connected", async () => {
  endSession("logout");
  const tomas = { ...helena, id: "01900000-0000-7000-8000-000000000002", name: "Tomás Prado" };
  globalThis.fetch = (async () => {
    throw new TypeError("Failed to fetch");
  }) as unknown as typeof fetch;
  localStorage.setItem("token", "of-helena");
  localStorage.setItem("kept-with-session", JSON.stringify({ user: helena }));
  restoreSession();
  holdSession();
  const open = () =>
    renderClient(
      <QueryClientProvider client={createQueryClient()}>
        <Probe />
      </QueryClientProvider>,
    );
  await open();
  await screen.findByText(helena.name);
  // As the other tab does.
  localStorage.setItem("token", "of-tomas");
  localStorage.setItem("kept-with-session", JSON.stringify({ user: tomas }));
  await userEvent.click(screen.getByText(helena.name));
  await waitFor(() => expect(screen.getByText(helena.name).dataset.reads).toBe("2"));
  cleanup();
  await open();
  await waitFor(() => expect(screen.getByText("nobody").dataset.reads).toBe("1"));
  expect(currentToken()).toBe("of-helena");
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
