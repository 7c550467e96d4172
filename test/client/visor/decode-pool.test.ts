import { describe, expect, spyOn, test } from "bun:test";
import type { DecodeReply } from "../../../src/client/visor/decode/decode-messages.ts";
import { createDecodePool, type DecodeWorker } from "../../../src/client/visor/decode/decode-pool.ts";
import type { PixelModule } from "../../../src/shared/pixels/pixel-module.ts";

const pixels = {} as PixelModule;
const NATIVE = "1.2.840.10008.1.2.1";
const JPEG_LS = "1.2.840.10008.1.2.4.80";
const encoded = (transferSyntaxUID = NATIVE) => ({ bytes: new Uint8Array(1), transferSyntaxUID });
const refusal: DecodeReply = { ok: false, failure: "undecodable", detail: "cut" };

/** Workers that answer when the test lets them. */
function startWorkers() {
  const started: {
    kind: string;
    isEnded: boolean;
    asked: number;
    reply(data: DecodeReply): void;
    fail(): void;
  }[] = [];
  const start = async (kind: string): Promise<DecodeWorker> => {
    const worker: DecodeWorker = {
      onmessage: null,
      onerror: null,
      postMessage: () => {
        entry.asked++;
      },
      terminate: () => {
        entry.isEnded = true;
      },
    };
    const entry = {
      kind,
      isEnded: false,
      asked: 0,
      reply: (data: DecodeReply) => worker.onmessage?.({ data } as MessageEvent<DecodeReply>),
      fail: () => worker.onerror?.({ message: "no script" } as ErrorEvent),
    };
    started.push(entry);
    return worker;
  };
  return { start, started };
}

const never = new AbortController().signal;
const waiting = (signal: AbortSignal) => ({ signal, takeMemory: () => undefined });
const settle = () => new Promise((resolve) => setTimeout(resolve, 0));

describe("the pool of decoders", () => {
  test("ends a worker that takes too long and says that the frame can't be decoded", async () => {
    const { start, started } = startWorkers();
    const pool = createDecodePool({ start, size: 1, timeoutMs: 1 });
    expect(pool.decode(encoded(), pixels, waiting(never))).rejects.toMatchObject({ failure: "undecodable" });
    await Bun.sleep(20);
    expect(started[0]?.isEnded).toBe(true);
    const next = pool.decode(encoded(), pixels, waiting(never));
    await settle();
    started[1]?.reply(refusal);
    expect(next).rejects.toMatchObject({ detail: "cut" });
  });

  test("ends a worker that can't be given a frame, and leaves no failure for later", async () => {
    const later: unknown[] = [];
    const note = (failure: unknown) => later.push(failure);
    process.on("unhandledRejection", note);
    const refused = new DOMException("it has no bytes any more", "DataCloneError");
    let isEnded = false;
    const start = async (): Promise<DecodeWorker> => ({
      onmessage: null,
      onerror: null,
      postMessage() {
        throw refused;
      },
      terminate() {
        isEnded = true;
      },
    });
    const pool = createDecodePool({ start, size: 1, timeoutMs: 1 });
    expect(await pool.decode(encoded(), pixels, waiting(never)).catch((failure) => failure)).toBe(refused);
    await Bun.sleep(20);
    process.off("unhandledRejection", note);
    expect([isEnded, later]).toEqual([true, []]);
  });

  test("loads a codec for the syntaxes that need it, in place of an idle worker", async () => {
    const { start, started } = startWorkers();
    const pool = createDecodePool({ start, size: 1 });
    const first = pool.decode(encoded(), pixels, waiting(never));
    await settle();
    started[0]?.reply(refusal);
    await first.catch(() => undefined);
    void pool.decode(encoded(JPEG_LS), pixels, waiting(never)).catch(() => undefined);
    await settle();
    expect(started.map(({ kind, isEnded }) => [kind, isEnded])).toEqual([
      ["plain", true],
      ["jpegLs", false],
    ]);
  });

  test("gives no frame to a worker that failed while it had none, before its first one or after", async () => {
    const { start, started } = startWorkers();
    const pool = createDecodePool({ start, size: 1 });
    pool.expect(NATIVE);
    await settle();
    started[0]?.fail();
    for (const place of [1, 2]) {
      const answered = pool.decode(encoded(), pixels, waiting(never));
      await settle();
      expect(started[place]?.asked).toBe(1);
      started[place]?.reply(refusal);
      expect(await answered.catch((error) => error.detail)).toBe("cut");
      started[place]?.fail();
      await settle();
    }
  });

  test("does not begin a frame that was aborted while it waited", async () => {
    const { start, started } = startWorkers();
    const pool = createDecodePool({ start, size: 1 });
    const first = pool.decode(encoded(), pixels, waiting(never));
    await settle();
    const aborted = new AbortController();
    const second = pool.decode(encoded(), pixels, waiting(aborted.signal));
    aborted.abort();
    expect(second).rejects.toThrow();
    started[0]?.reply(refusal);
    await first.catch(() => undefined);
    await settle();
    expect(started[0]?.asked).toBe(1);
  });

  test("has a worker ready for frames that will come, and only one", async () => {
    const { start, started } = startWorkers();
    const pool = createDecodePool({ start, size: 2 });
    pool.expect(JPEG_LS);
    pool.expect(JPEG_LS);
    expect(started.map(({ kind }) => kind)).toEqual(["jpegLs"]);
    const decoding = pool.decode(encoded(JPEG_LS), pixels, waiting(never));
    await settle();
    expect(started.map(({ asked }) => asked)).toEqual([1]);
    started[0]?.reply(refusal);
    expect(decoding).rejects.toMatchObject({ failure: "undecodable" });
    pool.close();
  });

  test("leaves nothing at the signal of a frame that is done, and gives its memory back", async () => {
    const { start, started } = startWorkers();
    const pool = createDecodePool({ start, size: 1 });
    const { signal } = new AbortController();
    const heard = [spyOn(signal, "addEventListener"), spyOn(signal, "removeEventListener")];
    const given: ArrayBuffer[] = [];
    const giveBack = (memory: ArrayBuffer) => given.push(memory);
    const decoding = pool.decode({ ...encoded(), giveBack }, pixels, waiting(signal));
    await settle();
    const lent = new ArrayBuffer(1);
    started[0]?.reply({ ...refusal, lent });
    await decoding.catch(() => undefined);
    expect(given).toEqual([lent]);
    expect(heard.map(({ mock }) => mock.calls.length)).toEqual([1, 1]);
  });

  test("gives a frame to the worker that is free first, not to one that is still starting", async () => {
    const { start, started } = startWorkers();
    let starts = 0;
    const startFirst = (kind: string) => (starts++ === 0 ? start(kind) : new Promise<never>(() => undefined));
    const pool = createDecodePool({ start: startFirst, size: 2 });
    const decodings = [1, 2].map(() => pool.decode(encoded(), pixels, waiting(never)));
    await settle();
    expect([starts, started[0]?.asked]).toEqual([2, 1]);
    for (const decoding of decodings) {
      started[0]?.reply(refusal);
      expect(decoding).rejects.toMatchObject({ detail: "cut" });
      await settle();
    }
    expect(started[0]?.asked).toBe(2);
  });

  test("says of one frame that its worker did not start, and starts another for the next", async () => {
    const { start, started } = startWorkers();
    let starts = 0;
    const startLater = (kind: string) =>
      starts++ === 0 ? Promise.reject(new TypeError("lost")) : start(kind);
    const pool = createDecodePool({ start: startLater, size: 1 });
    const [first, second] = [1, 2].map(() => pool.decode(encoded(), pixels, waiting(never)));
    expect(first).rejects.toThrow("lost");
    await settle();
    expect(started[0]?.asked).toBe(1);
    started[0]?.reply(refusal);
    expect(second).rejects.toMatchObject({ detail: "cut" });
    await settle();
  });
});
