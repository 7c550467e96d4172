import "../../support/client/dom-globals.ts";
import { expect, test } from "bun:test";
import { QueryClientProvider } from "@tanstack/react-query";
import { createQueryClient } from "../../../src/client/calls/query-client.ts";
import type { Visit } from "../../../src/shared/api/links.ts";
import { screen, withDom } from "../../support/client/dom.ts";
import { renderClient } from "../../support/client/render-client.tsx";
import { skull } from "../../support/client/skull-study.ts";

withDom();

// The PDF renderer needs a document when it is imported.
const { default: VisitedReport } = await import("../../../src/client/features/visit/visited-report.tsx");

test.each<[boolean, string[]]>([
  [true, ["Imprimir", "Baixar"]],
  [false, ["Imprimir"]],
])("a report offers its visitor a download if the link allows it (%p)", async (download, offered) => {
  globalThis.fetch = (async () => new Response("x", { status: 502 })) as unknown as typeof fetch;
  const study = { ...skull, series: [], laudo: true };
  const visit: Visit = {
    ...{ token: "t0ken", owner: "Clínica Boa Vista", recipient: null, expiresAt: "2026-12-01T00:00:00.000Z" },
    ...{ laudo: true, download, studies: [study] },
  };
  await renderClient(
    <QueryClientProvider client={createQueryClient()}>
      <VisitedReport visit={visit} study={study} onBack={() => undefined} onClosed={() => undefined} />
    </QueryClientProvider>,
  );
  await screen.findByRole("heading", { name: "Erro ao carregar laudo" });
  const names = screen
    .getAllByRole("button")
    .map((button) => button.getAttribute("aria-label") ?? button.textContent);
  expect(names.filter((name) => ["Imprimir", "Baixar"].includes(name ?? ""))).toEqual(offered);
});
