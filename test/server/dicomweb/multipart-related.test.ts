import { expect, test } from "bun:test";
import { multipartRelated } from "../../../src/server/features/dicomweb/answers/multipart-related.ts";
import { continueFrom } from "../../../src/server/runtime/continue-from.ts";

/** Two parts, and whether what they are read from was let go. */
function twoParts() {
  const state = { isOpen: true };
  const parts = (async function* () {
    try {
      for (const text of ["one", "two"]) yield { contentType: "text/plain", body: Buffer.from(text) };
    } finally {
      state.isOpen = false;
    }
  })();
  return { parts, state };
}

test("an answer in parts that nobody reads lets go of what its first part is read from", async () => {
  const { parts, state } = twoParts();
  const { body } = multipartRelated("text/plain", continueFrom(await parts.next(), parts));
  expect(state.isOpen).toBe(true);
  await body.cancel();
  expect(state.isOpen).toBe(false);
});

test("an answer in parts lets go of them where its reader leaves, and at its end", async () => {
  const left = twoParts();
  const reader = multipartRelated("text/plain", left.parts).body.getReader();
  await reader.read();
  await reader.cancel();
  expect(left.state.isOpen).toBe(false);
  const read = twoParts();
  const text = await new Response(multipartRelated("text/plain", read.parts).body).text();
  expect(text).toContain("one");
  expect(text).toContain("two");
  expect(read.state.isOpen).toBe(false);
});
