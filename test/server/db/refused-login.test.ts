import { expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { connectDatabase } from "../../../src/server/db/client.ts";
import { isDatabaseUnavailable, isLoginRefused } from "../../../src/server/db/database.errors.ts";
import { testPostgresUrl } from "../../support/database/postgres-server.ts";

async function failureOf(change: (url: URL) => void, query: string): Promise<unknown> {
  const url = new URL(await testPostgresUrl());
  change(url);
  const pool = connectDatabase({ url: url.href, maxConnections: 1 });
  try {
    return await pool.db.execute(sql.raw(query)).then(
      () => undefined,
      (error) => error,
    );
  } finally {
    await pool.close();
  }
}

test("a database that refuses its login is out of reach for requests, and a wrong query is a fault", async () => {
  const refusals = [
    await failureOf((url) => Object.assign(url, { username: "nobody_known" }), "select 1"),
    await failureOf((url) => Object.assign(url, { pathname: "/no_such_database" }), "select 1"),
  ];
  for (const error of refusals)
    expect([isLoginRefused(error), isDatabaseUnavailable(error)]).toEqual([true, true]);
  const wrong = await failureOf(() => {}, "select nothing from nowhere");
  expect([isLoginRefused(wrong), isDatabaseUnavailable(wrong)]).toEqual([false, false]);
});
