import "../../support/client/dom-globals.ts";
import { afterEach, beforeEach, expect, spyOn, test } from "bun:test";
import { QueryClientProvider } from "@tanstack/react-query";
import { createQueryClient } from "../../../src/client/calls/query-client.ts";
import VisitedOhif from "../../../src/client/features/visit/visited-ohif.tsx";
import type { Visit } from "../../../src/shared/api/links.ts";
import { waitFor, withDom } from "../../support/client/dom.ts";
import { renderClient } from "../../support/client/render-client.tsx";
import { type Answer, answerCalls, problem } from "../../support/client/render-view.tsx";
import { skull } from "../../support/client/skull-study.ts";

withDom();

/** The test DOM loads no page into a frame, and logs that each time. */
let complaints: { mockRestore: () => void };
beforeEach(() => {
  complaints = spyOn(console, "error").mockImplementation(() => undefined);
});
afterEach(() => complaints.mockRestore());

const study = { ...skull, series: [] };
const visit: Visit = {
  ...{ token: "t0ken", owner: "Helena Duarte", recipient: null, expiresAt: "2026-12-01T00:00:00.000Z" },
  ...{ laudo: true, download: false, studies: [study] },
};

async function open(readVisit: Answer) {
  const calls = answerCalls({ "GET /api/visits/t0ken": readVisit });
  let closed = 0;
  await renderClient(
    <QueryClientProvider client={createQueryClient()}>
      <VisitedOhif
        study={study}
        visit={visit}
        viewerOrigin=""
        onLeave={() => undefined}
        onClosed={() => closed++}
        onRead={() => undefined}
      />
    </QueryClientProvider>,
  );
  await waitFor(() => expect(calls).toHaveLength(1));
  return { closed: () => closed };
}

test("a visitor in OHIF is told when the link has ended", async () => {
  const { closed } = await open(() => problem(401, "visit.over", "x"));
  await waitFor(() => expect(closed()).toBe(1));
});

test("a visitor in OHIF stays there while the link goes on, and while the server is not reached", async () => {
  for (const answer of [() => Response.json(visit), () => problem(503, "x", "x")]) {
    const { closed } = await open(answer);
    await Bun.sleep(20);
    expect(closed()).toBe(0);
    expect(document.querySelector("iframe")).toBeTruthy();
  }
});
