import "../../support/client/dom-globals.ts";
import { expect, test } from "bun:test";
import { Problem } from "../../../src/client/visor/view/problem.tsx";
import type { Visor } from "../../../src/client/visor/view/use-visor.ts";
import { cleanup, screen, userEvent, withDom } from "../../support/client/dom.ts";
import { renderClient } from "../../support/client/render-client.tsx";

withDom();

test("an image whose exam is no longer shared is not told as damaged, and can be tried again", async () => {
  let tried = 0;
  const retry = () => tried++;
  const visor = { state: { phase: "ready" }, failure: "ended", index: 3, failed: ["4"], retry };
  await renderClient(<Problem visor={visor as unknown as Visor} />);
  expect(screen.getByRole("alert").textContent).toBe("O acesso a este exame terminouTentar novamente");
  await userEvent.click(screen.getByRole("button"));
  expect(tried).toBe(1);
});

test("an image that is kept damaged is not told as lost with its file intact", async () => {
  const visor = { state: { phase: "ready" }, failure: "damaged", index: 3, failed: ["4"], retry: () => {} };
  await renderClient(<Problem visor={visor as unknown as Visor} />);
  const text = screen.getByRole("alert").textContent;
  expect(text).toContain("A imagem 4 guardada está danificada");
  expect(text).not.toContain("íntegro");
});

test("a series of which every image is kept damaged is told as a whole", async () => {
  const stack = { slices: Array.from({ length: 4 }), isBegun: false };
  const visor = { state: { phase: "ready" }, failure: "damaged", index: 1, stack, retry: () => {} };
  await renderClient(<Problem visor={{ ...visor, failed: [0, 1, 2, 3] } as unknown as Visor} />);
  expect(screen.getByRole("alert").textContent).toContain(
    "Nenhuma das 4 imagens desta série pode ser mostrada",
  );
  cleanup();
  await renderClient(<Problem visor={{ ...visor, failed: [1, 3] } as unknown as Visor} />);
  expect(screen.getByRole("alert").textContent).toContain("A imagem 2 guardada está danificada");
});

test("an image that did not arrive says that the others are here only if they are", async () => {
  const stack = { slices: Array.from({ length: 4 }), isBegun: false };
  const visor = { state: { phase: "ready" }, failure: "lost", index: 1, stack, failed: [1], retry: () => {} };
  await renderClient(<Problem visor={{ ...visor, ready: 0 } as unknown as Visor} />);
  expect(screen.getByRole("alert").textContent).not.toContain("As outras");
  cleanup();
  await renderClient(<Problem visor={{ ...visor, ready: 3 } as unknown as Visor} />);
  expect(screen.getByRole("alert").textContent).toContain("As outras 3 estão aqui.");
});
