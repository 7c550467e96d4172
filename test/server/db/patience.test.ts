import { expect, test } from "bun:test";
import { DatabaseUnavailable, isDatabaseUnavailable } from "../../../src/server/db/database.errors.ts";
import { Patience } from "../../../src/server/db/patience.ts";

/** A statement as postgres.js makes it. */
function statement(state: unknown = null) {
  const settled = Promise.withResolvers<unknown>();
  settled.promise.catch(() => {});
  return { state, resolve: settled.resolve, reject: settled.reject, settled: settled.promise };
}

test("a statement that no connection takes is given up, and one that is answered in time is not", async () => {
  const patience = new Patience(10_000, 5);
  const unsent = patience.watch(statement());
  const answered = patience.watch(statement());
  answered.resolve("rows");
  expect(await unsent.settled.catch((error) => error)).toBeInstanceOf(DatabaseUnavailable);
  expect(await answered.settled).toBe("rows");
});

test("time in which the process itself stood still is not counted: answers may have come meanwhile", async () => {
  const patience = new Patience(150, 100);
  const statements = [statement(), statement({ pid: 1 })].map((one) => patience.watch(one));
  await Bun.sleep(20);
  Bun.sleepSync(1_000);
  setTimeout(() => statements.map(({ resolve }) => resolve("rows")), 5);
  const outcomes = statements.map(({ settled }) => settled.catch((error) => error));
  expect(await Promise.all(outcomes)).toEqual(["rows", "rows"]);
});

test("a statement that a connection has taken is waited for longer", async () => {
  const patience = new Patience(10_000, 5);
  const sent = patience.watch(statement({ pid: 1 }));
  const unsent = patience.watch(statement());
  await unsent.settled.catch(() => {});
  const first = await Promise.race([sent.settled, Promise.resolve("still waiting")]);
  expect(first).toBe("still waiting");
  sent.resolve("rows");
  expect(await sent.settled).toBe("rows");
});

test("a transaction that begins after it was given up does none of its work and is rolled back", async () => {
  const patience = new Patience(10_000, 5);
  const begun = Promise.withResolvers<void>();
  let worked = false;
  let outcome: unknown;
  const run = async (work: (tx: unknown) => unknown) => {
    await begun.promise;
    outcome = await Promise.resolve()
      .then(() => work({}))
      .catch((error) => error);
    throw outcome;
  };
  const transaction = patience.begin(run, () => {
    worked = true;
  });
  expect(await transaction.catch((error) => error)).toBeInstanceOf(DatabaseUnavailable);
  begun.resolve();
  await Bun.sleep(0);
  expect(outcome).toBeInstanceOf(DatabaseUnavailable);
  expect(worked).toBe(false);
});

test("a transaction whose connection broke while it worked is not waited for", async () => {
  const patience = new Patience(10_000, 5, 5);
  let silenceLooked = 0;
  patience.sockets.breakSilent = () => void silenceLooked++;
  const worked = Promise.withResolvers<void>();
  const run = (work: (tx: unknown) => unknown) =>
    Promise.race([Promise.resolve(work({})), Promise.reject(new Error("CONNECTION_CLOSED"))]);
  const transaction = patience.begin(run, () => worked.promise);
  expect(await transaction.catch((error) => error)).toEqual(new Error("CONNECTION_CLOSED"));
  worked.resolve();
  const other = patience.watch(statement({ pid: 1 }));
  await Bun.sleep(100);
  other.resolve("rows");
  expect(silenceLooked).toBe(0);
});

test("broken connections count as a database that is out of reach, refused statements and other services do not", () => {
  const error = (code: string, more: object = {}) => Object.assign(new Error("x"), { code, ...more });
  expect(isDatabaseUnavailable(error("CONNECTION_CLOSED"))).toBe(true);
  expect(isDatabaseUnavailable(new Error("wrapped", { cause: error("CONNECT_TIMEOUT") }))).toBe(true);
  expect(isDatabaseUnavailable(error("ECONNREFUSED", { query: "select 1" }))).toBe(true);
  // Of the mail server, for example.
  expect(isDatabaseUnavailable(error("ECONNREFUSED"))).toBe(false);
  expect(isDatabaseUnavailable(error("23505"))).toBe(false);
  expect(isDatabaseUnavailable("CONNECTION_CLOSED")).toBe(false);
});
