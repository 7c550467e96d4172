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

const requestFor = (headers: Record<string, string>, method = "GET") =>
  new Request("http://exames.example/", { method, headers: { range: "bytes=10-19", ...headers } });

test("a range of another version, or of one that may differ in its bytes, is the whole body", () => {
  const asked = (ifRange: string, etag: string) =>
    requestedRange(requestFor({ "if-range": ifRange }), etag, 100);
  expect(asked('"a"', '"a"')).toEqual({ offset: 10, length: 10 });
  expect(asked('"b"', '"a"')).toBeUndefined();
  expect(asked('W/"a"', 'W/"a"')).toBeUndefined();
});

test("a body without a version has a range only for who asks for it of any version", () => {
  expect(requestedRange(requestFor({}), undefined, 100)).toEqual({ offset: 10, length: 10 });
  expect(requestedRange(requestFor({ "if-range": '"a"' }), undefined, 100)).toBeUndefined();
});

test("HEAD has no ranges", () => {
  expect(requestedRange(requestFor({}, "HEAD"), '"a"', 100)).toBeUndefined();
  expect(requestedRange(requestFor({ range: "bytes=100-" }, "HEAD"), '"a"', 100)).toBeUndefined();
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
