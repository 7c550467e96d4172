import { expect, test } from "bun:test";
import { readUpTo } from "../../../src/server/runtime/read-up-to.ts";

const pieces = [Uint8Array.of(1, 2), Uint8Array.of(), Uint8Array.of(3)];

test("a body is read whole where it is no longer than asked for", async () => {
  expect(await readUpTo(pieces, 3)).toEqual(Uint8Array.of(1, 2, 3));
  expect(await readUpTo([], 0)).toEqual(new Uint8Array(0));
});

test("a body without end is left after the first piece too many", async () => {
  let asked = 0;
  let isLeft = false;
  const endless = (async function* () {
    try {
      for (;;) {
        asked++;
        yield new Uint8Array(10);
      }
    } finally {
      isLeft = true;
    }
  })();
  expect(await readUpTo(endless, 25)).toBeUndefined();
  expect([asked, isLeft]).toEqual([3, true]);
});
