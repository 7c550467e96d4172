import "../../support/dom-globals.ts";
import { expect, spyOn, test } from "bun:test";
import { Suspense } from "react";
import { Boundary } from "../../../src/client/ui/boundary.tsx";
import { ChunkPlace } from "../../../src/client/ui/chunk-place.tsx";
import { lazyChunk } from "../../../src/client/ui/lazy-chunk.ts";
import { withoutConnection } from "../../support/connection.ts";
import { screen, userEvent, withDom } from "../../support/dom.ts";
import { renderClient } from "../../support/render-client.tsx";

withDom();

/** A chunk whose first `losses` loads fail. */
function chunk(losses: number) {
  const tries = { count: 0 };
  const View = lazyChunk(async () => {
    if (++tries.count <= losses) throw new TypeError("Failed to fetch dynamically imported module");
    return { default: () => <p>The view</p> };
  }, [20, 20]);
  const shown = (
    <Boundary failure={<p>Failed</p>}>
      <Suspense fallback={<p>Waiting</p>}>
        <View />
      </Suspense>
    </Boundary>
  );
  return { tries, shown, View };
}

test("a chunk that failed to load is requested again", async () => {
  const { tries, shown } = chunk(2);
  await renderClient(shown);
  expect(screen.getByText("Waiting")).toBeTruthy();
  await screen.findByText("The view");
  expect(tries.count).toBe(3);
});

test("a chunk that keeps failing is given up after a few tries", async () => {
  // React writes what it caught to the console.
  using _ = spyOn(console, "error").mockImplementation(() => {});
  const { tries, shown } = chunk(Number.POSITIVE_INFINITY);
  await renderClient(shown);
  await screen.findByText("Failed");
  expect(tries.count).toBe(3);
});

test("a chunk that was given up is loaded when the person tries again", async () => {
  using _ = spyOn(console, "error").mockImplementation(() => {});
  const user = userEvent.setup();
  const { View, tries } = chunk(3);
  await renderClient(
    <ChunkPlace shape={<p>Waiting</p>} failure={<p>Failed</p>}>
      <View />
    </ChunkPlace>,
  );
  await screen.findByText("Não foi possível carregar esta tela");
  await user.click(screen.getByRole("button", { name: "Tentar novamente" }));
  await screen.findByText("The view");
  expect(tries.count).toBe(4);
});

test("a place of a chunk says that there is no connection, and fills by itself once that is back", async () => {
  using lost = withoutConnection();
  const { View, tries } = chunk(1);
  await renderClient(
    <ChunkPlace shape={<p>Waiting</p>} failure={<p>Failed</p>}>
      <View />
    </ChunkPlace>,
  );
  await screen.findByText("Sem conexão");
  expect(tries.count).toBe(1);
  await lost.end();
  await screen.findByText("The view");
  expect(screen.queryByText("Sem conexão")).toBeNull();
});
