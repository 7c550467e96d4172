import "../../support/client/dom-globals.ts";
import { expect, spyOn, test } from "bun:test";
import { Boundary, ReloadCard } from "../../../src/client/ui/boundary.tsx";
import { screen, withDom } from "../../support/client/dom.ts";
import { renderClient } from "../../support/client/render-client.tsx";

withDom();

function Broken(): never {
  throw new Error("broken");
}

test("a failed component is replaced by an error, and its siblings stay", async () => {
  // React logs every failure that a boundary catches.
  using _ = spyOn(console, "error").mockImplementation(() => undefined);
  await renderClient(
    <>
      <p>ao lado</p>
      <Boundary failure={<ReloadCard title="Falhou">Seus exames estão seguros.</ReloadCard>}>
        <Broken />
      </Boundary>
    </>,
  );
  expect(screen.getByRole("alert").textContent).toContain("Seus exames estão seguros.");
  expect(screen.getByRole("button", { name: "Recarregar a página" })).toBeDefined();
  expect(screen.getByText("ao lado")).toBeDefined();
});
