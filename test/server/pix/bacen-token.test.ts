import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { openPixAtPsp, type PixAtPsp, pixErrorOf } from "../../support/psp/pix-at-psp.ts";

const TOKEN = "POST /oauth/token";
const READ = "GET /cob/{txid}";

describe("the PSP's access token", () => {
  let at: PixAtPsp;
  beforeEach(async () => {
    at = await openPixAtPsp();
  });
  afterEach(() => at[Symbol.asyncDispose]());

  const read = (signal?: AbortSignal) => at.pix.readCob(at.pix.newTxid(), signal);
  const calls = (call: string, { psp } = at) => psp.calls.filter((made) => made === call).length;

  test("is requested once by concurrent calls", async () => {
    await Promise.all(Array.from({ length: 8 }, () => read()));
    expect(calls(TOKEN)).toBe(1);
    expect(calls(READ)).toBe(8);
  });

  test("is requested with the client's id and secret, and only the scopes that the calls need", async () => {
    await read();
    const [request = ""] = at.psp.received;
    const { clientId, clientSecret } = at.psp.config;
    expect(request).toContain(btoa(`${clientId}:${clientSecret}`));
    const form = new URLSearchParams(request.slice(request.lastIndexOf(" ") + 1));
    expect(form.get("grant_type")).toBe("client_credentials");
    expect(form.get("scope")?.split(" ").sort()).toEqual([
      "cob.read",
      "cob.write",
      "pix.read",
      "pix.write",
      "webhook.read",
      "webhook.write",
    ]);
  });

  test("is used until a minute before its end", async () => {
    await read();
    at.advance(3_539_000);
    await read();
    expect(calls(TOKEN)).toBe(1);
    at.advance(2_000);
    await read();
    expect(calls(TOKEN)).toBe(2);
  });

  test.each([-86_400_000, 86_400_000])("is used as long when our clock is set by %i ms", async (byMs) => {
    await read();
    at.setClock(byMs);
    await read();
    expect(calls(TOKEN)).toBe(1);
    at.advance(3_541_000);
    await read();
    expect(calls(TOKEN)).toBe(2);
  });

  test.each([-86_400_000, -3_600_000, 3_600_000, 86_400_000])(
    "is neither used too long nor requested too often when the PSP's clock is %i ms ahead",
    async (pspAheadMs) => {
      await using skewed = await openPixAtPsp({ pspAheadMs });
      for (let minute = 0; minute < 180; minute++) {
        await skewed.pix.readCob(skewed.pix.newTxid());
        skewed.advance(60_000);
      }
      // Each serves 59 minutes, and none was refused.
      expect(calls(TOKEN, skewed)).toBe(4);
      expect(calls(READ, skewed)).toBe(180);
    },
  );

  test("that lives for seconds is used for seconds", async () => {
    at.psp.tokenLifetimeSeconds = 20;
    await read();
    at.advance(14_000);
    await read();
    expect(calls(TOKEN)).toBe(1);
    at.advance(2_000);
    await read();
    expect(calls(TOKEN)).toBe(2);
  });

  test("that has expired on arrival is used for its own call only", async () => {
    at.psp.fail(TOKEN, { amend: (body: object) => ({ ...body, expires_in: 0 }) });
    await read();
    await read();
    expect(calls(TOKEN)).toBe(2);
  });

  test.each([{ expires_in: "3600" }, { expires_in: undefined }, { expires_in: 3600.5, refresh_token: null }])(
    "is understood with %p",
    async (changes) => {
      at.psp.fail(TOKEN, { amend: (body: object) => ({ ...body, ...changes }) });
      await read();
      at.advance(200_000);
      await read();
      expect(calls(TOKEN)).toBe(1);
    },
  );

  test("that the PSP withdrew is replaced within the call, once for all concurrent calls", async () => {
    await read();
    at.psp.reset();
    const cobs = await Promise.all(Array.from({ length: 5 }, () => at.pix.createCob(at.order())));
    expect(cobs.length).toBe(5);
    expect(calls(TOKEN)).toBe(1);
    expect(at.pace.slept).toEqual([]);
  });

  test("that is refused again when fresh makes Pix unavailable after two tries", async () => {
    const PUT = "PUT /cob/{txid}";
    at.psp.fail(PUT, { status: 401 }, { status: 401 }, { status: 401 });
    const error = await pixErrorOf(at.pix.createCob(at.order()));
    expect(error).toMatchObject({ kind: "unavailable", status: 401 });
    expect(at.psp.calls).toEqual([TOKEN, PUT, TOKEN, PUT]);
  });

  test("that is not granted makes Pix unavailable at once", async () => {
    await using wrong = await openPixAtPsp({ config: { clientSecret: "wrong" } });
    const error = await pixErrorOf(wrong.pix.createCob(wrong.order()));
    expect(error).toMatchObject({ kind: "unavailable", status: 401, code: "invalid_client" });
    expect(wrong.psp.calls).toEqual([TOKEN]);
    expect(error.message).not.toContain("wrong");
  });

  test.each(["cut", "cutAnswer", "garbage", { status: 503 }, { status: 429 }] as const)(
    "is requested again after %p",
    async (fault) => {
      at.psp.fail(TOKEN, fault);
      expect((await at.pix.createCob(at.order())).status).toBe("ATIVA");
      expect(calls(TOKEN)).toBe(2);
    },
  );

  test("still comes for the other callers when the first one has gone", async () => {
    const slow = Promise.withResolvers<void>();
    at.psp.fail(TOKEN, { until: slow.promise });
    const gone = new AbortController();
    const first = pixErrorOrReason(read(gone.signal));
    const second = read();
    gone.abort("gone");
    expect(await first).toBe("gone");
    slow.resolve();
    expect(await second).toBeUndefined();
    expect(calls(TOKEN)).toBe(1);
  });
});

function pixErrorOrReason(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
}
