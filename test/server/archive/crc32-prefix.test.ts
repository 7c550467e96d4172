import { expect, test } from "bun:test";
import { crc32 } from "node:zlib";
import fc from "fast-check";
import { crc32WithPrefix } from "../../../src/server/archive/crc32-prefix.ts";

test("the sum of bytes with another beginning follows from the old one", () => {
  const bytes = fc.uint8Array({ maxLength: 300 });
  fc.assert(
    fc.property(bytes, bytes, bytes, (before, after, rest) => {
      const known = crc32(Buffer.concat([before, rest]));
      expect(crc32WithPrefix(known, { before, after }, rest.length)).toBe(
        crc32(Buffer.concat([after, rest])),
      );
    }),
  );
});

test("the rest may be longer than 32 bits count", () => {
  const [before, after] = [Buffer.from("old"), Buffer.from("another")];
  const rest = new Uint8Array(1 << 20);
  let [known, wanted] = [crc32(before), crc32(after)];
  for (let times = 0; times < 4097; times++) {
    known = crc32(rest, known);
    wanted = crc32(rest, wanted);
  }
  expect(crc32WithPrefix(known, { before, after }, 4097 * rest.length)).toBe(wanted);
});
