import { expect, test } from "bun:test";
import { DrizzleQueryError } from "drizzle-orm/errors";
import { DatabaseUnavailable } from "../../../src/server/db/database.errors.ts";
import { judgeFailure } from "../../../src/server/features/import/judge-failure.ts";

test("an import that stops because of the database says so", () => {
  const lost = new DrizzleQueryError("select 1", [], new DatabaseUnavailable("the database does not answer"));
  expect(judgeFailure(lost)).toEqual({ is: "transient", reason: "database.unavailable" });
});
