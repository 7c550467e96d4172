import { expect, test } from "bun:test";
import fc from "fast-check";
import { passwordStrength } from "../../../src/shared/rules/password-strength.ts";

test.each([
  ["12345", 0],
  ["123456", 1],
  ["aaaaaaaaaaaa", 1],
  ["senha123", 1],
  ["um cavalo azul", 4],
] as const)("%p has strength %p", (password, strength) => expect(passwordStrength(password)).toBe(strength));

test("fewer than six characters are never called acceptable, and no text is too long to judge", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 5 }), (password) => expect(passwordStrength(password)).toBe(0)),
  );
  expect(passwordStrength("x7!Q".repeat(10_000))).toBe(4);
});
