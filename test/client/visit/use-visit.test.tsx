import "../../support/client/dom-globals.ts";
import { expect, test } from "bun:test";
import { useVisit } from "../../../src/client/features/visit/use-visit.ts";
import { act, screen, userEvent, withDom } from "../../support/client/dom.ts";
import { renderClient } from "../../support/client/render-client.tsx";
import { problem } from "../../support/client/render-view.tsx";

withDom();

interface Opening {
  secret: string;
  attempt: string;
}

/** Answers of `POST /api/visits`, one after the other; undefined is one that is lost. Returns what was asked. */
function answerOpenings(...answers: (Response | Promise<Response> | undefined)[]): Opening[] {
  const asked: Opening[] = [];
  globalThis.fetch = (async (_path: string, init?: RequestInit) => {
    asked.push(JSON.parse(String(init?.body)));
    const answer = answers.shift();
    if (!answer) throw new TypeError("the connection was lost");
    return answer;
  }) as unknown as typeof fetch;
  return asked;
}

const opened = () =>
  Response.json({
    ...{ token: "v.token", owner: "Helena D.", recipient: null, expiresAt: "2026-12-01T00:00:00.000Z" },
    ...{ laudo: true, download: false, studies: [] },
  });

function Page({ link }: { link: string }) {
  const { state, retry } = useVisit(link);
  return (
    <button type="button" onClick={retry}>
      {state.step}
    </button>
  );
}

test("a visit whose answer was lost is opened again as the same opening, also after a reload, and the next one is another", async () => {
  const asked = answerOpenings(undefined, undefined, opened(), undefined);
  const attempts = () => asked.map(({ attempt }) => attempt);
  await renderClient(<Page link="one" />);
  await userEvent.click(await screen.findByText("failed"));
  await screen.findByText("failed");
  expect(sessionStorage.getItem("visit attempt one")).toBe(attempts()[0] ?? "");
  await userEvent.click(screen.getByText("failed"));
  await screen.findByText("open");
  expect(new Set(attempts()).size).toBe(1);
  expect(attempts()[0]).toMatch(/^[0-9a-f]{48}$/);
  expect(sessionStorage.getItem("visit attempt one")).toBeNull();
  await renderClient(<Page link="two" />);
  await screen.findByText("failed");
  expect(attempts()[3]).not.toBe(attempts()[0]);
});

test("an unreadable answer to a visit is shown as a failure, with another try", async () => {
  answerOpenings(Response.json([{ id: 5 }]), opened());
  await renderClient(<Page link="misfit" />);
  await userEvent.click(await screen.findByText("failed"));
  await screen.findByText("open");
});

test("a link that did not open is opened by the whole address, pasted into the same tab; an open one stays open", async () => {
  const asked = answerOpenings(problem(404, "link.not_found", "Não abre."), opened());
  const paste = (secret: string) =>
    act(async () => {
      window.location.hash = secret;
      await new Promise((resolve) => setTimeout(resolve, 0));
    });
  await paste("cut");
  await renderClient(<Page link="three" />);
  await screen.findByText("closed");
  await paste("whole");
  await screen.findByText("open");
  await paste("other");
  await screen.findByText("open");
  expect(asked.map(({ secret }) => secret)).toEqual(["cut", "whole"]);
});

test("the whole address that is pasted while the cut one is still being opened opens the link", async () => {
  const late = Promise.withResolvers<Response>();
  const asked = answerOpenings(late.promise, opened());
  const paste = (secret: string) =>
    act(async () => {
      window.location.hash = secret;
      await new Promise((resolve) => setTimeout(resolve, 0));
    });
  await paste("cut");
  await renderClient(<Page link="four" />);
  await screen.findByText("opening");
  await paste("whole");
  late.resolve(problem(404, "link.not_found", "Não abre."));
  await screen.findByText("open");
  expect(asked.map(({ secret }) => secret)).toEqual(["cut", "whole"]);
});

test("a visit that could not be read again after a reload is read again, and counts as no other opening", async () => {
  sessionStorage.setItem("visit five", "v.token");
  const asked: string[] = [];
  const answers = [problem(503, "unavailable", "Indisponível."), opened()];
  globalThis.fetch = (async (path: string, init?: RequestInit) => {
    asked.push(`${init?.method} ${path}`);
    return answers.shift();
  }) as unknown as typeof fetch;
  await renderClient(<Page link="five" />);
  await userEvent.click(await screen.findByText("failed"));
  await screen.findByText("open");
  expect(asked).toEqual(["GET /api/visits/v.token", "GET /api/visits/v.token"]);
});
