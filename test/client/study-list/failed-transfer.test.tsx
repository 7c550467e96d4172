import "../../support/client/dom-globals.ts";
import { expect, test } from "bun:test";
import type { StorageStatus, Study } from "../../../src/shared/api/studies.ts";
import { cleanup, screen, withDom, within } from "../../support/client/dom.ts";
import { problem } from "../../support/client/render-view.tsx";
import { skull } from "../../support/client/skull-study.ts";
import { listOf, showList } from "../../support/client/study-list.tsx";

withDom();

const RETRY = "POST /api/studies/s1/retry-transfer";

async function openRow(study: Partial<Study>, answers = {}) {
  const shown = await showList(
    { ...listOf([{ ...skull, storageStatus: "error", ...study }]), ...answers },
    "admin",
  );
  await shown.user.click(await screen.findByRole("button", { name: /^Séries de/ }));
  await screen.findByText("Sé 3");
  return shown;
}

test("the list offers another try for an exam that did not reach the store, and shows that it is under way", async () => {
  let storageStatus: StorageStatus = "error";
  const { user } = await openRow(
    {},
    {
      "GET /api/studies": () =>
        Response.json([{ ...skull, storageStatus }], { headers: { "X-Total-Count": "1" } }),
      [RETRY]: () => {
        storageStatus = "transferring";
        return new Response(null, { status: 202 });
      },
    },
  );
  expect(screen.getByText(/^A transferência falhou\./)).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "Tentar novamente" }));
  const row = document.querySelector<HTMLElement>("tr.study-row") as HTMLElement;
  expect((await within(row).findAllByText("Transferindo")).length).toBeGreaterThan(0);
  expect(screen.queryByText(/^A transferência falhou\./)).toBeNull();
  // The keyboard goes on from the row.
  expect(screen.getByRole("button", { name: /^Séries de/ }) === document.activeElement).toBe(true);
});

test("a transfer that can't be tried again says why", async () => {
  const { user } = await openRow({}, { [RETRY]: () => problem(503, "study.node_gone", "O servidor parou.") });
  await user.click(screen.getByRole("button", { name: "Tentar novamente" }));
  expect(await screen.findByText("O servidor parou.")).toBeTruthy();
});

test("somebody else's failed transfer is told without a try, and lost files are not called a failed transfer", async () => {
  await openRow({ access: { ...skull.access, share: false } });
  expect(screen.getByText(/^A transferência falhou\./)).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Tentar novamente" })).toBeNull();
  cleanup();
  await openRow({ integrity: "missing" });
  expect(screen.queryByText(/^A transferência falhou\./)).toBeNull();
});
