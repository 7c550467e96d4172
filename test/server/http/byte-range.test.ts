import { expect, test } from "bun:test";
import { asksForParts, parseByteRange, requestedRange } from "../../../src/server/http/byte-range.ts";

test.each([
  ["bytes=0-0", { offset: 0, length: 1 }],
  ["bytes=0-99", { offset: 0, length: 100 }],
  ["bytes=90-100", { offset: 90, length: 10 }],
  ["Bytes=90-99", { offset: 90, length: 10 }],
  ["bytes=99-", { offset: 99, length: 1 }],
  ["bytes=-1", { offset: 99, length: 1 }],
  ["bytes=-101", { offset: 0, length: 100 }],
  ["bytes=100-", "unsatisfiable"],
  ["bytes=100-200", "unsatisfiable"],
  ["bytes=-0", "unsatisfiable"],
  ["bytes=9-8", undefined],
  ["bytes=0-1,3-4", undefined],
  ["items=0-1", undefined],
  ["bytes=-", undefined],
] as const)("%s of 100 bytes", (header, range) => {
  expect(parseByteRange(header, 100)).toEqual(range);
});

test("a range of another version, or of one that may differ in its bytes, is the whole body", () => {
  const asked = (ifRange: string, etag: string) =>
    requestedRange(new Headers({ range: "bytes=10-19", "if-range": ifRange }), etag, 100);
  expect(asked('"a"', '"a"')).toEqual({ offset: 10, length: 10 });
  expect(asked('"b"', '"a"')).toBeUndefined();
  expect(asked('W/"a"', 'W/"a"')).toBeUndefined();
});

test.each([
  ["bytes=0-1", true],
  ["bytes=0-1,5-6", true],
  ["Bytes = 0-1 , 5- , -3", true],
  ["bytes=0-1,", false],
  ["bytes=-,5-6", false],
  ["bytes=0-1,x", false],
  ["items=0-1,5-6", false],
] as const)("whether %s asks for parts: %p", (range, isParts) => {
  expect(asksForParts(new Headers({ range }), '"a"')).toBe(isParts);
  expect(asksForParts(new Headers({ range, "if-range": '"a"' }), '"a"')).toBe(isParts);
  expect(asksForParts(new Headers({ range, "if-range": '"b"' }), '"a"')).toBe(false);
});
