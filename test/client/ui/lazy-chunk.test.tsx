import "../../support/client/dom-globals.ts";
import { describe, expect, spyOn, test } from "bun:test";
import { Suspense } from "react";
import { Boundary } from "../../../src/client/ui/boundary.tsx";
import { ChunkPlace } from "../../../src/client/ui/chunk-place.tsx";
import { lazyChunk } from "../../../src/client/ui/lazy-chunk.ts";
import { withoutConnection } from "../../support/client/connection.ts";
import { screen, userEvent, withDom } from "../../support/client/dom.ts";
import { pass, withFakeClock } from "../../support/client/fake-clock.ts";
import { renderClient } from "../../support/client/render-client.tsx";

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

describe("while the server is away", () => {
  withFakeClock("2026-11-29T12:00:00.000Z");

  test("a place of a chunk that was given up fills by itself once the server is ready, and asks for nothing before", async () => {
    using _ = spyOn(console, "error").mockImplementation(() => {});
    let isReady = false;
    const asked: string[] = [];
    globalThis.fetch = (async (path: string) => {
      asked.push(path);
      return new Response("", { status: isReady ? 200 : 503 });
    }) as unknown as typeof fetch;
    const { View, tries } = chunk(3);
    await renderClient(
      <ChunkPlace shape={<p>Waiting</p>} failure={<p>Failed</p>}>
        <View />
      </ChunkPlace>,
    );
    await pass(3_000);
    expect(screen.getByText("Não foi possível carregar esta tela")).toBeTruthy();
    await pass(15_000);
    expect([asked, tries.count]).toEqual([["/api/health", "/api/health"], 3]);
    isReady = true;
    await pass(15_000);
    expect(screen.getByText("The view")).toBeTruthy();
  });

  test("a chunk that is gone from a server that is ready is not asked for again by itself", async () => {
    using _ = spyOn(console, "error").mockImplementation(() => {});
    globalThis.fetch = (async () => new Response("{}")) as unknown as typeof fetch;
    const { View, tries } = chunk(Number.POSITIVE_INFINITY);
    await renderClient(
      <ChunkPlace shape={<p>Waiting</p>} failure={<p>Failed</p>}>
        <View />
      </ChunkPlace>,
    );
    await pass(60_000);
    expect(tries.count).toBe(3);
  });
});
