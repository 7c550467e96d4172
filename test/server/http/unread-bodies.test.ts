import { describe, expect, test } from "bun:test";
import { Hono } from "hono";
import { AppError } from "../../../src/server/http/app-error.ts";
import type { HttpEnv } from "../../../src/server/http/http-context.ts";
import { bufferBody } from "../../../src/server/http/json-body.ts";
import { requestContext } from "../../../src/server/http/request-context.ts";
import { boundUnreadBodies } from "../../../src/server/http/unread-bodies.ts";

/** Longer than any machine stands still. */
const PATIENT_MS = 240_000;

/** An app that accepts a body once `look` has looked up its sender. */
function senders(look: () => Promise<void>, patience: { patienceMs?: number } = { patienceMs: PATIENT_MS }) {
  const app = new Hono<HttpEnv>();
  app.onError((error, c) => c.body(null, error instanceof AppError ? error.kind.status : 500));
  app.use(boundUnreadBodies({ senderOf: async (authorization) => authorization, ...patience }));
  app.post("/", async (c) => {
    await look();
    c.get("admitBody")();
    return c.body(null, 201);
  });
  return (authorization?: string) =>
    app.request("/", {
      method: "POST",
      headers: { "content-length": "100000", ...(authorization && { authorization }) },
    });
}

const statusesOf = async (answers: (Response | Promise<Response>)[]) =>
  (await Promise.all(answers)).map(({ status }) => status);
const count = (statuses: number[], status: number) => statuses.filter((one) => one === status).length;

describe("request bodies that begin in the same millisecond", () => {
  test("from many signed-in accounts are all accepted, though some must wait for a place", async () => {
    const send = senders(() => Bun.sleep(20));
    const statuses = await statusesOf(Array.from({ length: 40 }, (_, i) => send(`account ${i}`)));
    expect(count(statuses, 201)).toBe(40);
  });

  test("from strangers are refused when no place is free", async () => {
    const send = senders(() => Bun.sleep(20));
    const statuses = await statusesOf(Array.from({ length: 40 }, () => send()));
    expect([count(statuses, 201), count(statuses, 429)]).toEqual([12, 28]);
  });

  test("from one account leave waiting places for others", async () => {
    const send = senders(() => Bun.sleep(20));
    const flood = Array.from({ length: 100 }, () => send("one account"));
    const others = Array.from({ length: 10 }, (_, i) => send(`account ${i}`));
    expect(count(await statusesOf(flood), 201)).toBe(24);
    expect(await statusesOf(others)).toEqual(Array(10).fill(201));
  });

  test("wait at most a second, and the number of places is right afterwards", async () => {
    let gate = Promise.withResolvers<void>();
    const send = senders(() => gate.promise, {});
    const held = Array.from({ length: 12 }, (_, i) => send(`holds ${i}`));
    const waits = Array.from({ length: 5 }, (_, i) => send(`waits ${i}`));
    expect(await statusesOf(waits)).toEqual(Array(5).fill(429));
    gate.resolve();
    expect(await statusesOf(held)).toEqual(Array(12).fill(201));
    gate = Promise.withResolvers<void>();
    const again = Array.from({ length: 13 }, () => send());
    expect((await Promise.race(again)).status).toBe(429);
    gate.resolve();
    expect(count(await statusesOf(again), 201)).toBe(12);
  });
});

test("long bodies that one IPv6 line holds from two of its addresses take half of the slots at most", async () => {
  const app = new Hono<HttpEnv>();
  app.onError((error, c) => c.body(null, error instanceof AppError ? error.kind.status : 500));
  app.use(requestContext({ trustProxy: ["127.0.0.1"] }));
  app.post("/", async (c) => {
    c.set("admitBody", () => {});
    await bufferBody(c);
    return c.body(null, 201);
  });
  const ended = Promise.withResolvers<void>();
  const beginning = () =>
    new ReadableStream({
      async start(controller) {
        controller.enqueue(new Uint8Array(10));
        await ended.promise;
        controller.close();
      },
    });
  const hold = (address: string) =>
    app.request("/", {
      method: "POST",
      headers: { "x-forwarded-for": address, "content-length": "100000" },
      body: beginning(),
    });
  const held = Array.from({ length: 48 }, (_, i) => hold(`2001:db8::${i % 2}`));
  await Bun.sleep(300);
  // A further one takes the slot of one that is idle, of the line's own.
  const further = hold("2001:db8::2");
  const first = await Promise.race(held);
  expect(first.status).toBe(429);
  ended.resolve();
  expect((await further).status).toBe(201);
});
