import "../../support/client/dom-globals.ts";
import { expect, test } from "bun:test";
import { getDefaultStore } from "jotai";
import { enterHis } from "../../../src/client/features/auth/enter-his.ts";
import { activateLocale } from "../../../src/client/i18n.ts";
import { provideIslands } from "../../../src/client/open-island.ts";
import { shownToastAtom } from "../../../src/client/ui/toast.tsx";
import { withDom } from "../../support/client/dom.ts";
import { until } from "../../support/until.ts";

withDom();

const page = (props: object) =>
  new Response(`<div data-island="his" data-props='${JSON.stringify(props)}'></div>`, {
    headers: { "Content-Type": "text/html" },
  });

/** A page of which the connection carries only the beginning. */
const brokenOff = () =>
  new ReadableStream({
    start(stream) {
      stream.enqueue(new TextEncoder().encode("<div data-island="));
      stream.error(new TypeError("network error"));
    },
  });

test("a person who signed in with files at hand waits for a server that is away, and then goes on once, with the files", async () => {
  await activateLocale("pt-BR");
  const answers: (() => Response)[] = [
    () => {
      throw new TypeError("Failed to fetch");
    },
    () => new Response("starting", { status: 503 }),
    () => new Response(brokenOff(), { headers: { "Content-Type": "text/html" } }),
    () => page({ productName: "Exameteca" }),
    () => page({ productName: "Exameteca" }),
  ];
  globalThis.fetch = (async () => answers.shift()?.()) as unknown as typeof fetch;
  const opened: (string | undefined)[] = [];
  const codes = [() => Promise.reject(new TypeError("Failed to fetch dynamically imported module"))];
  provideIslands(async ({ dataset }, address) => {
    await codes.shift()?.();
    opened.push(dataset.props, address);
  });
  const entering = Promise.all([enterHis(), enterHis()]);
  for (const left of [4, 3, 2, 1]) {
    expect(answers.length).toBe(left);
    expect(opened).toEqual([]);
    await until(() => {
      if (answers.length < left) return true;
      window.dispatchEvent(new Event("online"));
      return false;
    });
  }
  await entering;
  expect(opened).toEqual([JSON.stringify({ productName: "Exameteca" }), "/his"]);
  expect(getDefaultStore().get(shownToastAtom)?.title).toStartWith("Não foi possível");
});
