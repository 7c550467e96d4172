import { expect, test } from "bun:test";
import { ConfigError, readConfig } from "../../../src/server/config.ts";

function problemsOf(environment: Record<string, string>): string[] {
  try {
    readConfig(environment);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems;
  }
}

test("a password with a bare % in an address is named at the start, and one that is written as it must be is taken", () => {
  const told = (name: string) => [`${name} has a % that begins no code: write %25 for it, in a password too`];
  expect(problemsOf({ DATABASE_URL: "postgres://dono:p%@127.0.0.1/exames" })).toEqual(told("DATABASE_URL"));
  expect(problemsOf({ DATABASE_URL: "postgres://dono:%C3@127.0.0.1/exames" })).toEqual(told("DATABASE_URL"));
  expect(problemsOf({ DATABASE_URL: "postgres://dono:p%25%40%C3%A7@127.0.0.1/exames" })).toEqual([]);
  expect(problemsOf({ DATABASE_URL: "postgres://dono:ç@127.0.0.1/exames" })).toEqual([]);
});

test("an address in which a bare % is taken as it is stays as it was", () => {
  expect(
    readConfig({ SMTP_URL: "smtp://eu:50%off@127.0.0.1", ADMIN_EMAIL: "eu@clinica.example" }).smtpUrl,
  ).toBe("smtp://eu:50%off@127.0.0.1");
  expect(problemsOf({ DATABASE_URL: "postgres://dono@127.0.0.1/50%" })).toEqual([]);
});
