import { describe, expect, test } from "bun:test";
import {
  hashRecoveryCode,
  isRecoveryCode,
  newRecoveryCodes,
} from "../../../src/server/features/accounts/factors/recovery-codes.ts";
import { matchingStep, newTotpSecret, totpUri } from "../../../src/server/features/accounts/factors/totp.ts";
import { relyingPartyOf } from "../../../src/server/http/relying-party.ts";

/** The secret of RFC 6238's appendix B, "12345678901234567890", in base32. */
const RFC_SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";

describe("codes of an authenticator app", () => {
  // RFC 6238 appendix B, SHA-1, the last six of its eight digits.
  const vectors: [seconds: number, code: string][] = [
    [59, "287082"],
    [1111111109, "081804"],
    [1111111111, "050471"],
    [1234567890, "005924"],
    [2000000000, "279037"],
    [20000000000, "353130"],
  ];
  for (const [seconds, code] of vectors) {
    test(`are those of RFC 6238 at ${seconds} s`, () => {
      expect(matchingStep(RFC_SECRET, code, new Date(seconds * 1000))).toBe(Math.floor(seconds / 30));
    });
  }

  test("are accepted at most one step early or late", () => {
    const step = Math.floor(1234567890 / 30);
    const at = (steps: number) => new Date((step + steps) * 30_000);
    expect([-2, -1, 0, 1, 2].map((steps) => matchingStep(RFC_SECRET, "005924", at(steps)))).toEqual([
      undefined,
      step,
      step,
      step,
      undefined,
    ]);
  });

  test("come from 160 random bits, which the QR code has with issuer and account", () => {
    const secret = newTotpSecret();
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(newTotpSecret()).not.toBe(secret);
    const uri = new URL(totpUri(secret, { issuer: "Exameteca", label: "ana@example.com" }));
    expect(uri.protocol).toBe("otpauth:");
    expect(decodeURIComponent(uri.pathname)).toContain("Exameteca:ana@example.com");
    expect(Object.fromEntries(uri.searchParams)).toMatchObject({ secret, issuer: "Exameteca", digits: "6" });
  });
});

describe("recovery codes", () => {
  test("are ten, different, and read however they are typed", () => {
    const codes = newRecoveryCodes();
    expect(new Set(codes).size).toBe(10);
    for (const code of codes) {
      expect(isRecoveryCode(code)).toBe(true);
      const typed = code.toUpperCase().replaceAll("-", " ").replaceAll("0", "O").replaceAll("1", "l");
      expect(hashRecoveryCode(typed, "a")).toBe(hashRecoveryCode(code, "a"));
      expect(hashRecoveryCode(code, "b")).not.toBe(hashRecoveryCode(code, "a"));
    }
  });
});

describe("passkeys are made for", () => {
  const partyOf = (publicUrl: string) => relyingPartyOf({ publicUrl, productName: "Exameteca" });
  test("the name in PUBLIC_URL, under https or on localhost", () => {
    expect(partyOf("https://exames.example.com")).toMatchObject({
      id: "exames.example.com",
      origin: "https://exames.example.com",
    });
    expect(partyOf("http://localhost:3000")).toMatchObject({
      id: "localhost",
      origin: "http://localhost:3000",
    });
  });
  test("neither bare addresses nor plain http, for which browsers have none", () => {
    for (const url of [
      "http://127.0.0.1:3000",
      "https://10.0.0.7",
      "https://[::1]:3000",
      "http://exames.example.com",
    ])
      expect(partyOf(url)).toBeUndefined();
  });
});
