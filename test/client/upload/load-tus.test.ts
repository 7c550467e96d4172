import "../../support/client/dom-globals.ts";
import { afterEach, beforeAll, expect, test } from "bun:test";
import { loadTus } from "../../../src/client/features/upload/send/load-tus.ts";
import { activateLocale } from "../../../src/client/i18n.ts";
import { withDom } from "../../support/client/dom.ts";

withDom();
beforeAll(() => activateLocale("en-US"));
afterEach(() => document.head.replaceChildren());

const lost = () => Promise.reject(new TypeError("Failed to fetch dynamically imported module"));
const entryOf = (release: number) =>
  `<script type="module" nonce="n" src="/assets/boot-${release}.js" fetchpriority="low"></script>`;

/** Shows a page of the first release, of which the server answers so now. */
function serve(answer: () => Response): void {
  document.head.innerHTML = entryOf(1);
  globalThis.fetch = (async () => answer()) as unknown as typeof fetch;
}

test("an upload that begins without a connection waits for one, also if the code that sends it is not here yet", async () => {
  serve(() => {
    throw new TypeError("Failed to fetch");
  });
  await expect(loadTus(lost)).rejects.toMatchObject({ name: "ApiError", status: 0, code: "network" });
  expect(await loadTus()).toHaveProperty("Upload");
});

test("code that a newer release has replaced is not waited for", async () => {
  serve(() => new Response(entryOf(2)));
  await expect(loadTus(lost)).rejects.toMatchObject({ name: "PageOutdated" });
});

test("code is waited for while a proxy, a network's sign-in page or a server of the same release answers", async () => {
  for (const answer of [
    () => new Response(entryOf(2), { status: 502 }),
    () => new Response('<script src="/login.js"></script>'),
    () => new Response(entryOf(1)),
  ]) {
    serve(answer);
    await expect(loadTus(lost)).rejects.toMatchObject({ name: "ApiError", status: 0, code: "network" });
  }
});
