import "../../support/dom-globals.ts";
import { expect, test } from "bun:test";
import { useVisit } from "../../../src/client/features/visit/use-visit.ts";
import { screen, userEvent, withDom } from "../../support/dom.ts";
import { renderClient } from "../../support/render-client.tsx";

withDom();

/** Answers of `POST /api/visits`, one after the other; undefined is one that is lost. */
function answerOpenings(...answers: (Response | undefined)[]): string[] {
  const attempts: string[] = [];
  globalThis.fetch = (async (_path: string, init?: RequestInit) => {
    attempts.push(JSON.parse(String(init?.body)).attempt);
    const answer = answers.shift();
    if (!answer) throw new TypeError("the connection was lost");
    return answer;
  }) as unknown as typeof fetch;
  return attempts;
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
  const attempts = answerOpenings(undefined, undefined, opened(), undefined);
  await renderClient(<Page link="one" />);
  await userEvent.click(await screen.findByText("failed"));
  await screen.findByText("failed");
  expect(sessionStorage.getItem("visit attempt one")).toBe(attempts[0] ?? "");
  await userEvent.click(screen.getByText("failed"));
  await screen.findByText("open");
  expect(new Set(attempts).size).toBe(1);
  expect(attempts[0]).toMatch(/^[0-9a-f]{48}$/);
  expect(sessionStorage.getItem("visit attempt one")).toBeNull();
  await renderClient(<Page link="two" />);
  await screen.findByText("failed");
  expect(attempts[3]).not.toBe(attempts[0]);
});
