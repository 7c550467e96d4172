import { expect, test } from "bun:test";
import { DrizzleQueryError } from "drizzle-orm/errors";
import postgres from "postgres";
import { explainFailure } from "../../../src/server/cli/explain-failure.ts";

test("a command that finds the database's disk full says so, not that the address is wrong", () => {
  const full = Object.assign(Object.create(postgres.PostgresError.prototype), { code: "53100" });
  expect(explainFailure(new DrizzleQueryError("insert", [], full))).toBe(
    "The disk of the database is full (53100): give it room and run the command again.",
  );
});
