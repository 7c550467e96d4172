import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createServer, type Server } from "node:net";
import { PIX_TIMEOUT_MS } from "../../../src/server/pix/pix.ts";
import { openPixAtPsp, type PixAtPsp, pixErrorOf } from "../../support/psp/pix-at-psp.ts";
import type { Fault } from "../../support/psp/psp.ts";

const PUT = "PUT /cob/{txid}";
const GET = "GET /cob/{txid}";
/** Faults that may be over at the next try. */
const PASSING: Fault[] = [
  ...(["silence", "lostAnswer", "cut", "cutAnswer", "garbage", "endless"] as const),
  ...[408, 429, 500, 502, 503, 504].map((status) => ({ status })),
];

const never = new Promise<never>(() => {});

describe("a PSP in trouble", () => {
  let at: PixAtPsp;
  beforeEach(async () => {
    at = await openPixAtPsp();
  });
  afterEach(() => at[Symbol.asyncDispose]());

  const count = (call: string) => at.psp.calls.filter((made) => made === call).length;
  const always = (call: string, fault: Fault) =>
    at.psp.fail(call, ...Array.from({ length: 50 }, () => fault));
  const total = (waits: number[]) => waits.reduce((sum, wait) => sum + wait, 0);

  test.each(PASSING)(
    "that passes (%p) goes unnoticed by the payer",
    async (fault) => {
      at.psp.fail(PUT, fault);
      const order = at.order();
      expect(await at.pix.createCob(order)).toMatchObject({ txid: order.txid, status: "ATIVA" });
      expect(count(PUT)).toBe(2);
      expect(at.psp.bank.cobs.size).toBe(1);
      at.psp.fail(GET, fault);
      expect((await at.pix.readCob(order.txid))?.status).toBe("ATIVA");
      expect(count(GET)).toBe(2);
    },
    240_000,
  );

  test.each(["cut", "garbage", { status: 503 }] as const)(
    "that lasts (%p) makes Pix unavailable within the call's time, after a few tries",
    async (fault) => {
      at.pace.chance = 0.99;
      always(PUT, fault);
      const error = await pixErrorOf(at.pix.createCob(at.order()));
      expect(error.kind).toBe("unavailable");
      expect(count(PUT)).toBeLessThanOrEqual(7);
      expect(count(PUT)).toBeGreaterThanOrEqual(4);
      expect(total(at.pace.slept)).toBeLessThan(PIX_TIMEOUT_MS);
    },
  );

  test("is asked again after waits that grow and that differ between callers", async () => {
    always(GET, { status: 503 });
    at.pace.chance = 0.5;
    await pixErrorOf(at.pix.readCob(at.pix.newTxid()));
    expect(at.pace.slept).toEqual([125, 250, 500, 1000, 2000, 4000]);
    at.pace.slept.length = 0;
    at.pace.chance = 0;
    await pixErrorOf(at.pix.readCob(at.pix.newTxid()));
    expect(at.pace.slept).toEqual([0, 0, 0, 0, 0, 0]);
  });

  test("is not asked again before its Retry-After is over", async () => {
    at.psp.fail(GET, { status: 429, headers: { "retry-after": "3" } });
    await at.pix.readCob(at.pix.newTxid());
    expect(at.pace.slept).toEqual([3000]);
    at.psp.fail(GET, { status: 503, headers: { "retry-after": "Sat, 21 Nov 2026 12:00:05 GMT" } });
    await at.pix.readCob(at.pix.newTxid());
    expect(at.pace.slept).toEqual([3000, 5000]);
  });

  test("that asks for more time than a call has is not asked again, and the caller learns how long to wait", async () => {
    at.psp.fail(PUT, { status: 429, headers: { "retry-after": "60" } });
    const error = await pixErrorOf(at.pix.createCob(at.order()));
    expect(error).toMatchObject({ kind: "unavailable", status: 429, retryAfterSeconds: 60 });
    expect(count(PUT)).toBe(1);
    expect(at.pace.slept).toEqual([]);
  });

  test.each([
    ["999999999", 3600],
    ["Sat, 21 Nov 2099 12:00:00 GMT", 3600],
    ["Sat, 21 Nov 2020 12:00:00 GMT", undefined],
    ["-5", undefined],
    ["bald", undefined],
  ])("that asks for an absurd wait (%s) is given an hour at most", async (header, expected) => {
    always(PUT, { status: 429, headers: { "retry-after": header } });
    expect((await pixErrorOf(at.pix.createCob(at.order()))).retryAfterSeconds).toBe(expected);
  });

  test.each([{ status: 400 }, { status: 403, type: "AcessoNegado" }, { status: 301 }, { status: 501 }])(
    "is not asked again after a final answer: %p",
    async (fault) => {
      at.psp.fail(GET, fault);
      await pixErrorOf(at.pix.readCob(at.pix.newTxid()));
      expect(count(GET)).toBe(1);
    },
  );

  test("that redirects isn't followed, so the token stays here", async () => {
    const seen: string[] = [];
    await using other = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch(request) {
        seen.push(request.url);
        return new Response();
      },
    });
    always(GET, { status: 307, headers: { location: other.url.href } });
    expect((await pixErrorOf(at.pix.readCob(at.pix.newTxid()))).kind).toBe("unavailable");
    expect(seen).toEqual([]);
  });

  test("that is gone makes Pix unavailable", async () => {
    await using gone = await openPixAtPsp({ config: { apiUrl: "https://127.0.0.1:1/api/v2" } });
    const error = await pixErrorOf(gone.pix.createCob(gone.order()));
    expect(error).toMatchObject({ kind: "unavailable", status: undefined });
    expect(error.code).toBeString();
  });

  test("that is slow is waited for", async () => {
    const slow = Promise.withResolvers<void>();
    at.psp.fail(PUT, { until: slow.promise });
    const call = at.pix.createCob(at.order());
    slow.resolve();
    expect((await call).status).toBe("ATIVA");
    expect(count(PUT)).toBe(1);
  });
});

describe("the time of a call", () => {
  test("is bounded, wherever the PSP stops answering", async () => {
    await using at = await openPixAtPsp();
    at.psp.fail(PUT, ...Array.from({ length: 10 }, () => "silence" as const));
    const begunAt = at.pace.elapsedMs();
    const error = await pixErrorOf(at.pix.createCob(at.order()));
    expect(error).toMatchObject({ kind: "unavailable", code: "TimeoutError" });
    expect(at.pace.elapsedMs() - begunAt).toBeLessThanOrEqual(PIX_TIMEOUT_MS);
  });

  test("covers both the order and the read of what was ordered before", async () => {
    await using at = await openPixAtPsp();
    at.psp.fail(PUT, { status: 503, headers: { "retry-after": "6" } }, { status: 409 });
    at.psp.fail(GET, { status: 503, headers: { "retry-after": "6" } });
    expect((await pixErrorOf(at.pix.createCob(at.order()))).kind).toBe("unavailable");
    expect(at.pace.slept).toEqual([6000]);
  });

  test("is bounded when a connection is accepted and never becomes TLS", async () => {
    const mute: Server = createServer(() => {});
    await new Promise<void>((resolve) => mute.listen(0, "127.0.0.1", resolve));
    const { port } = mute.address() as { port: number };
    const tokenUrl = `https://127.0.0.1:${port}/oauth/token`;
    await using at = await openPixAtPsp({ config: { tokenUrl } });
    const passing = setInterval(at.pace.lapse, 20);
    expect((await pixErrorOf(at.pix.readCob(at.pix.newTxid()))).code).toBe("TimeoutError");
    clearInterval(passing);
    mute.close();
  });

  test("is bounded for an endless answer, which is not kept in memory", async () => {
    await using at = await openPixAtPsp();
    at.psp.fail(PUT, "endless");
    expect((await at.pix.createCob(at.order())).status).toBe("ATIVA");
    expect(at.psp.calls.filter((made) => made === PUT).length).toBe(2);
  }, 240_000);

  test("ends when the caller goes", async () => {
    await using at = await openPixAtPsp();
    at.psp.fail(PUT, { until: never });
    const caller = new AbortController();
    const reached = at.psp.nextCall(PUT);
    const call = at.pix.createCob(at.order(), caller.signal);
    await reached;
    const reason = new Error("gone");
    caller.abort(reason);
    await expect(call).rejects.toBe(reason);
    expect(at.psp.calls.filter((made) => made === PUT).length).toBe(1);
  });

  test("ends when the program does", async () => {
    await using at = await openPixAtPsp();
    at.psp.fail(PUT, { until: never });
    const reached = at.psp.nextCall(PUT);
    const call = pixErrorOf(at.pix.createCob(at.order()));
    await reached;
    at.pix.close();
    expect((await call).kind).toBe("unavailable");
    expect(at.pace.slept).toEqual([]);
    expect((await pixErrorOf(at.pix.readCob("a"))).kind).toBe("unavailable");
  });
});
