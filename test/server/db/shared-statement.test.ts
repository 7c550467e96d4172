import { expect, test } from "bun:test";
import { DatabaseUnavailable } from "../../../src/server/db/database.errors.ts";
import { shared } from "../../../src/server/db/shared-statement.ts";

/** A shared statement that a test answers by hand. */
function createAsked(options?: Parameters<typeof shared>[1]) {
  const sent: (PromiseWithResolvers<string> & { values: { id: string } })[] = [];
  const ask = shared((_client: object, values: { id: string }) => {
    const statement = { ...Promise.withResolvers<string>(), values };
    sent.push(statement);
    return statement.promise;
  }, options);
  return { sent, ask };
}

test("a caller is answered by a statement that was sent after they came, shared with all who came before it was sent", async () => {
  const { sent, ask } = createAsked();
  const client = {};
  const first = ask(client, { id: "1" });
  const behind = [ask(client, { id: "1" }), ask(client, { id: "1" })];
  expect(sent.length).toBe(1);
  sent[0]?.resolve("open");
  expect(await first).toBe("open");
  expect(sent.length).toBe(2);
  const late = ask(client, { id: "1" });
  sent[1]?.resolve("ended");
  expect(await Promise.all(behind)).toEqual(["ended", "ended"]);
  expect(sent.length).toBe(3);
  sent[2]?.resolve("open again");
  expect(await late).toBe("open again");
  const next = ask(client, { id: "1" });
  expect(sent.length).toBe(4);
  sent[3]?.resolve("alone");
  expect(await next).toBe("alone");
});

test("other values and other clients wait for no statement but their own", async () => {
  const { sent, ask } = createAsked();
  const client = {};
  const answers = [ask(client, { id: "1" }), ask(client, { id: "2" }), ask({}, { id: "1" })];
  expect(sent.map(({ values }) => values.id)).toEqual(["1", "2", "1"]);
  for (const [index, { resolve }] of sent.entries()) resolve(String(index));
  expect(await Promise.all(answers)).toEqual(["0", "1", "2"]);
});

test("a statement that fails, fails for those it was sent for; those behind it get the next one", async () => {
  const { sent, ask } = createAsked();
  const client = {};
  const first = ask(client, { id: "1" });
  const behind = [ask(client, { id: "1" }), ask(client, { id: "1" })];
  sent[0]?.reject(new Error("lost"));
  await expect(first).rejects.toThrow("lost");
  const last = ask(client, { id: "1" });
  const outcomes = Promise.allSettled(behind);
  sent[1]?.reject(new Error("lost again"));
  expect((await outcomes).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  sent[2]?.resolve("back");
  expect(await last).toBe("back");
});

test("a caller behind a statement that hangs waits no longer than for one statement", async () => {
  const { sent, ask } = createAsked({ maxWaitMs: 20 });
  const client = {};
  const first = ask(client, { id: "1" });
  const behind = await Promise.allSettled([ask(client, { id: "1" }), ask(client, { id: "1" })]);
  const hung = behind.map((outcome) => outcome.status === "rejected" && outcome.reason);
  expect(hung).toEqual([expect.any(DatabaseUnavailable), expect.any(DatabaseUnavailable)]);
  const late = ask(client, { id: "1" });
  sent[0]?.resolve("slow");
  expect(await first).toBe("slow");
  expect(await Promise.allSettled([late])).toEqual([expect.objectContaining({ status: "rejected" })]);
});
