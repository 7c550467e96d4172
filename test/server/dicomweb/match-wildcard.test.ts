import { expect, test } from "bun:test";
import fc from "fast-check";
import { matchesAll } from "../../../src/server/features/dicomweb/qido/match-json.ts";
import { matchesWildcard } from "../../../src/server/features/dicomweb/qido/match-wildcard.ts";
import { MAX_MATCHES, parseQido } from "../../../src/server/features/dicomweb/qido/parse-qido.ts";
import { AppError } from "../../../src/server/http/app-error.ts";
import { dictionaryVr } from "../../../src/shared/dicom/reading/dictionary.ts";

/** Several times what a slow machine that is busy takes; a wildcard that tries again from each letter takes minutes. */
const MAX_MS = 10_000;

test("a wildcard finds what a plain regular expression finds", () => {
  const pattern = fc.string({ unit: fc.constantFrom("a", "b", "*", "?"), maxLength: 80 });
  const text = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 90 });
  fc.assert(
    fc.property(pattern, text, (wanted, value) => {
      const expected = new RegExp(`^${wanted.replaceAll(/\*+/g, ".*").replaceAll("?", ".")}$`);
      expect(matchesWildcard(value, wanted)).toBe(expected.test(value));
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  ["letters", `*${"a".repeat(125)}b*`],
  ["any letters", `*${"?".repeat(125)}b*`],
  ["both", `*${"a?".repeat(62)}b*`],
  ["many parts", "*a".repeat(62)],
])("one long value and as many hostile patterns of %s as a search may have hold nobody up", (_, pattern) => {
  const value = "a".repeat(250_000);
  const [match] = parseQido(new URLSearchParams({ "00DEBCF0": pattern })).matches;
  if (!match) throw new Error("the pattern was not read");
  const matches = Array.from({ length: MAX_MATCHES }, () => match);
  const startedAt = performance.now();
  matchesAll({ "00DEBCF0": { vr: "LT", Value: [value] } }, matches);
  for (const match of matches) matchesAll({ "00DEBCF0": { vr: "LT", Value: [value] } }, [match]);
  expect(performance.now() - startedAt).toBeLessThan(MAX_MS);
});

test("the words of a name begin words of it", () => {
  const finds = (wanted: string, name: string) =>
    matchesAll(
      { "00081070": { vr: "PN", Value: [{ Alphabetic: name }] } },
      parseQido(new URLSearchParams({ OperatorsName: wanted, fuzzymatching: "true" })).matches,
    );
  expect(finds("jo gon", "Gonçalves^João")).toBe(true);
  expect(finds("alves", "Gonçalves^João")).toBe(false);
});

/** Tags whose values are texts (LO), of three groups. */
const textTags = [0x00080000, 0x00100000, 0x00180000]
  .flatMap((group) => Array.from({ length: 0x2000 }, (_, element) => group + element))
  .filter((tag) => dictionaryVr(tag) === "LO")
  .map((tag) => tag.toString(16).padStart(8, "0").toUpperCase());

test("a search has so many values, fields and matches, and values so long, and more are refused", () => {
  const uids = (count: number) => Array.from({ length: count }, (_, n) => `1.2.${n}`).join();
  const matching = (count: number) => textTags.slice(0, count).map((tag): [string, string] => [tag, "x"]);
  for (const [within, beyond] of [
    [[["StudyInstanceUID", uids(1_000)]], [["StudyInstanceUID", uids(1_001)]]],
    [[["includefield", uids(200)]], [["includefield", uids(201)]]],
    [[["StudyDescription", "x".repeat(128)]], [["StudyDescription", "x".repeat(129)]]],
    [matching(MAX_MATCHES), matching(MAX_MATCHES + 1)],
  ] as [string, string][][][]) {
    expect(() => parseQido(new URLSearchParams(within))).not.toThrow();
    expect(() => parseQido(new URLSearchParams(beyond))).toThrow(AppError);
  }
});
