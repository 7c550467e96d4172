import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withTimeout } from "../../../src/server/runtime/with-timeout.ts";
import { ObjectNotFound, StoreUnavailable } from "../../../src/server/storage/object-store.ts";
import { createS3Client } from "../../../src/server/storage/s3/s3-client.ts";
import { S3Failure } from "../../../src/server/storage/s3/s3-failure.ts";
import { createS3Store, type S3StoreOptions } from "../../../src/server/storage/s3/s3-store.ts";
import { bytesOf, describeObjectStore, keysOf, patterned } from "../../contract/object-store.suite.ts";
import {
  type Fault,
  type FaultyS3Server,
  type SeenRequest,
  startFaultyS3Server,
} from "../../support/store/faulty-s3-server.ts";
import { startS3Server } from "../../support/store/s3-server.ts";

const MODULE = join(import.meta.dir, "../../../src/server/storage/s3/s3-store");
const PART_BYTES = 5 << 20;
const everything = async (keys: readonly string[]) => new Set(keys);

describeObjectStore("s3", async () => {
  const server = await startFaultyS3Server();
  const options = { ...server.options, partSizeBytes: PART_BYTES, pageSize: 5 };
  return {
    store: createS3Store(options),
    childScript: `import { createS3Store } from ${JSON.stringify(MODULE)};
      const store = createS3Store(${JSON.stringify(options)});`,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
});

test("the S3 store works with an independent S3 server that has no versions", async () => {
  await using server = await startS3Server();
  const store = createS3Store({ ...server.options, partSizeBytes: PART_BYTES });
  const folder = await mkdtemp(join(tmpdir(), "s3-store-"));
  try {
    await store.check();
    const bytes = patterned(12 << 20);
    await writeFile(join(folder, "source"), bytes);
    await store.putFile("a/large", join(folder, "source"));
    await store.putBytes("a/small", bytes.subarray(0, 10));
    expect(await store.stat("a/large")).toEqual({ sizeBytes: bytes.length });
    expect(await store.stat("a/absent")).toBeUndefined();
    expect(Bun.hash(await bytesOf(await store.open("a/large")))).toBe(Bun.hash(bytes));
    expect(await store.read("a/large", { offset: 6_000_000, length: 9 })).toEqual(
      bytes.subarray(6_000_000, 6_000_009),
    );
    expect(await keysOf(store, "a/s")).toEqual(["a/small"]);
    expect(await store.sweepUnfinished(new Date(), everything)).toBe(0);
    await store.delete("a/large");
    await expect(store.open("a/large")).rejects.toBeInstanceOf(ObjectNotFound);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

describe("s3 store on a failing service", () => {
  const bytes = patterned(12 << 20);
  let folder: string;
  let source: string;
  let server: FaultyS3Server;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "s3-store-"));
    source = join(folder, "source");
    await writeFile(source, bytes);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  beforeEach(async () => {
    server = await startFaultyS3Server();
  });
  afterEach(() => server[Symbol.asyncDispose]());

  const storeOf = (options: Partial<S3StoreOptions> = {}) =>
    createS3Store({ ...server.options, partSizeBytes: PART_BYTES, minBytesPerSecond: 1e9, ...options });

  /** The first requests that match fail with these faults, the later ones don't. */
  function failFirst(fault: Fault, matches: (request: SeenRequest) => boolean, times = 1): void {
    let left = times;
    server.fault = (request) => (matches(request) && left-- > 0 ? fault : undefined);
  }

  const isCreate = ({ method, query }: SeenRequest) => method === "POST" && query.has("uploads");
  const isPart = ({ method, query }: SeenRequest) => method === "PUT" && query.get("partNumber") === "2";
  const isComplete = ({ method, query }: SeenRequest) => method === "POST" && query.has("uploadId");
  const isGet = ({ method, key }: SeenRequest) => method === "GET" && key !== "";

  const SLOW: Fault = { status: 503, code: "SlowDown" };
  const PUT_FAULTS: [string, Fault, typeof isCreate][] = [
    ["503 on create", SLOW, isCreate],
    ["503 on a part", SLOW, isPart],
    ["429 on a part", { status: 429, code: "TooManyRequests" }, isPart],
    ["503 on complete", SLOW, isComplete],
    ["200 with an error on complete", { status: 200, code: "InternalError" }, isComplete],
    ["a connection reset on create", "reset", isCreate],
    ["a connection reset in a part", "reset", isPart],
    ["a connection reset on complete", "reset", isComplete],
    ["a lost answer to a part", "lostAnswer", isPart],
    ["a lost answer to complete", "lostAnswer", isComplete],
    ["a stalled part", "stall", isPart],
  ];
  for (const [name, fault, where] of PUT_FAULTS) {
    test(`a large put survives ${name}`, async () => {
      failFirst(fault, where, fault === "stall" ? 1 : 2);
      await storeOf({ timeoutMs: fault === "stall" ? 1500 : 5000 }).putFile("a/large", source);
      expect(Bun.hash(await bytesOf(await storeOf().open("a/large")))).toBe(Bun.hash(bytes));
      expect(server.bucket.uploads.size).toBe(0);
    });
  }

  for (const where of [isCreate, isPart, isComplete]) {
    for (const fault of [SLOW, { status: 200, code: "InternalError" }, "reset"] as Fault[]) {
      test(`gives up a put in the end, and leaves nothing: ${where.name}, ${JSON.stringify(fault)}`, async () => {
        failFirst(fault, where, 1000);
        await expect(storeOf({ retries: 2 }).putFile("a/large", source)).rejects.toBeInstanceOf(
          StoreUnavailable,
        );
        // The runtime itself repeats a request that a kept-alive connection dropped.
        const sent = server.seen.filter(where).length;
        expect(sent).toBeGreaterThanOrEqual(3);
        expect(sent).toBeLessThanOrEqual(fault === "reset" ? 6 : 3);
        expect(server.bucket.objects.size).toBe(0);
        expect(server.bucket.uploads.size).toBe(0);
      });
    }
  }

  test("doesn't repeat a request that can't succeed", async () => {
    failFirst({ status: 403, code: "AccessDenied" }, isPart, 1000);
    await expect(storeOf().putFile("a/large", source)).rejects.toMatchObject({
      why: "read_only",
      cause: { status: 403, code: "AccessDenied" },
    });
    expect(server.seen.filter(isPart).length).toBe(1);
  });

  test("sends a small file in one request", async () => {
    await storeOf({ partSizeBytes: bytes.length }).putFile("a/small", source);
    expect(server.seen.map(({ method }) => method)).toEqual(["PUT"]);
  });

  test("waits no longer than its timeout for a silent store", async () => {
    server.fault = () => "stall";
    const store = storeOf({ retries: 1, timeoutMs: 50 });
    const calls = [
      () => store.stat("a"),
      () => store.putBytes("a", bytes),
      () => store.open("a"),
      () => store.read("a", { offset: 0, length: 1 }),
      () => store.delete("a"),
    ];
    for (const call of calls) await expect(call()).rejects.toBeInstanceOf(StoreUnavailable);
  });

  test("gives up a body that comes byte by byte, and takes one that did so once", async () => {
    await storeOf().putFile("a/slow", source);
    const store = storeOf({ timeoutMs: 300 });
    server.fault = (request) => (isGet(request) ? { trickleMs: 10 } : undefined);
    const given = store.open("a/slow").then(bytesOf);
    expect(
      await withTimeout(
        given.catch(() => {}),
        240_000,
      ),
    ).toBe(true);
    await expect(given).rejects.toBeInstanceOf(StoreUnavailable);
    failFirst({ trickleMs: 10 }, isGet, 1);
    expect(Bun.hash(await bytesOf(await store.open("a/slow")))).toBe(Bun.hash(bytes));
  });

  test("says that an object is absent only after a second look", async () => {
    await storeOf().putFile("a/present", source);
    failFirst({ status: 404, code: "NoSuchKey" }, isGet, 1);
    expect((await bytesOf(await storeOf().open("a/present"))).length).toBe(bytes.length);
    failFirst({ status: 404, code: "NoSuchKey" }, isGet, 1);
    expect((await storeOf().read("a/present", { offset: 0, length: 3 })).length).toBe(3);
    await expect(storeOf().open("a/absent")).rejects.toBeInstanceOf(ObjectNotFound);
  });

  test("a body cut again and again arrives whole", async () => {
    await storeOf().putFile("a/cut", source);
    failFirst({ cutAfterBytes: 3_000_000 }, isGet, 3);
    expect(Bun.hash(await bytesOf(await storeOf().open("a/cut")))).toBe(Bun.hash(bytes));
    failFirst({ cutAfterBytes: 1_000_000 }, isGet, 2);
    const range = { offset: 5, length: 3_000_000 };
    const part = await bytesOf(await storeOf().open("a/cut", range));
    expect(Bun.hash(part)).toBe(Bun.hash(bytes.subarray(5, 3_000_005)));
    failFirst({ cutAfterBytes: 1_000_000 }, isGet, 2);
    expect(Bun.hash(await storeOf().read("a/cut", range))).toBe(Bun.hash(part));
  });

  test("an answer that ends early without an error isn't taken for the whole", async () => {
    await storeOf().putFile("a/short", source);
    const range = { offset: 5, length: 3_000_000 };
    const expected = Bun.hash(bytes.subarray(5, 3_000_005));
    failFirst({ endAfterBytes: 1_000_000 }, isGet, 2);
    expect(Bun.hash(await bytesOf(await storeOf().open("a/short", range)))).toBe(expected);
    failFirst({ endAfterBytes: 1_000_000 }, isGet, 2);
    expect(Bun.hash(await storeOf().read("a/short", range))).toBe(expected);
    failFirst({ endAfterBytes: 1_000_000 }, isGet);
    await expect(storeOf().open("a/short")).rejects.toBeInstanceOf(StoreUnavailable);
  });

  test("a body that can't be finished fails and never ends short", async () => {
    await storeOf().putFile("a/cut", source);
    let cuts = 0;
    server.fault = (request) =>
      isGet(request) ? (cuts++ === 0 ? { cutAfterBytes: 1_000_000 } : "reset") : undefined;
    const body = await storeOf({ retries: 2 }).open("a/cut");
    await expect(bytesOf(body)).rejects.toBeInstanceOf(StoreUnavailable);
  });

  test("a body isn't continued with another object's bytes", async () => {
    await storeOf().putFile("a/replaced", source);
    failFirst({ cutAfterBytes: 1_000_000 }, isGet);
    const body = await storeOf().open("a/replaced");
    await storeOf().putBytes("a/replaced", patterned(bytes.length).fill(7));
    await expect(bytesOf(body)).rejects.toBeInstanceOf(StoreUnavailable);
  });

  test("a reader that pauses longer than the timeout isn't cut", async () => {
    await storeOf().putFile("a/paused", source);
    const body = await storeOf({ timeoutMs: 1_000, retries: 0 }).open("a/paused");
    if (body instanceof Blob) throw new TypeError("expected a stream");
    let size = 0;
    for await (const piece of body) {
      if (size === 0) await Bun.sleep(1_200);
      size += piece.length;
    }
    expect(size).toBe(bytes.length);
  });

  test("deletes every version of the object and no other's", async () => {
    const store = storeOf({ pageSize: 2 });
    for (let n = 0; n < 5; n++) await store.putBytes("a/object", patterned(n));
    await store.putBytes("a/object2", patterned(1));
    server.bucket.handle(
      { method: "DELETE", key: "a/object", query: new URLSearchParams(), headers: {} },
      bytes,
    );
    await store.delete("a/object");
    expect([...server.bucket.objects.keys()]).toEqual(["a/object2"]);
  });

  test("deletes an object that the listing of its versions does not name yet", async () => {
    const { handle, objects } = server.bucket;
    await storeOf().putBytes("a/late", bytes);
    server.bucket.handle = (request, body) => {
      if (request.query.has("versions")) {
        return { status: 200, body: new TextEncoder().encode("<ListVersionsResult/>") };
      }
      const answer = handle(request, body);
      const versionId = objects.get(request.key)?.[0]?.versionId;
      return versionId
        ? { ...answer, headers: { ...answer.headers, "x-amz-version-id": versionId } }
        : answer;
    };
    try {
      await storeOf().delete("a/late");
    } finally {
      server.bucket.handle = handle;
    }
    expect(objects.has("a/late")).toBe(false);
  });

  test("a delete without permission to list versions fails instead of hiding the object", async () => {
    await storeOf().putBytes("a/object", bytes);
    server.fault = ({ query }) => (query.has("versions") ? { status: 403, code: "AccessDenied" } : undefined);
    await expect(storeOf().delete("a/object")).rejects.toBeInstanceOf(StoreUnavailable);
    expect(await storeOf().stat("a/object")).toBeDefined();
  });

  test("deletes if the store has no versions", async () => {
    await storeOf().putBytes("a/object", bytes);
    server.fault = ({ query }) =>
      query.has("versions") ? { status: 501, code: "NotImplemented" } : undefined;
    await storeOf().delete("a/object");
    expect(await storeOf().stat("a/object")).toBeUndefined();
  });

  test("sweeps only uploads begun before a given time, over many pages", async () => {
    await storeOf().putBytes("a/object", bytes);
    const begin = (key: string, begunAt: Date) =>
      server.bucket.uploads.set(crypto.randomUUID(), { key, begunAt, parts: new Map() });
    for (let n = 0; n < 7; n++) begin(`old/${n}`, new Date("2026-01-01"));
    begin("new", new Date("2026-01-03"));
    begin("somebody/else", new Date("2026-01-01"));
    const ours = async (keys: readonly string[]) => new Set(keys.filter((key) => key !== "somebody/else"));
    expect(await storeOf({ pageSize: 2 }).sweepUnfinished(new Date("2026-01-02"), ours)).toBe(7);
    const left = () => [...server.bucket.uploads.values()].map(({ key }) => key).sort();
    expect(left()).toEqual(["new", "somebody/else"]);
    expect(await keysOf(storeOf(), "")).toEqual(["a/object"]);

    begin("new/one", new Date("2026-01-03"));
    expect(await storeOf().endUnfinished("new/")).toBe(1);
    expect(left()).toEqual(["new", "somebody/else"]);
  });

  test("reports what is wrong with its key", async () => {
    const stranger = storeOf({ secretAccessKey: "wrong" });
    await expect(stranger.stat("a/object")).rejects.toMatchObject({ code: "SignatureDoesNotMatch" });
    await expect(stranger.check()).rejects.toMatchObject({ status: 403 });
  });

  test("distinguishes a missing bucket from a missing object", async () => {
    const missing: Fault = { status: 404, code: "NoSuchBucket" };
    server.fault = () => missing;
    await expect(storeOf().stat("a/object")).rejects.toMatchObject({ code: "NoSuchBucket" });
    await expect(storeOf().open("a/object")).rejects.not.toBeInstanceOf(ObjectNotFound);
    await expect(storeOf().delete("a/object")).rejects.toBeInstanceOf(StoreUnavailable);
    await expect(storeOf().check()).rejects.toMatchObject({ status: 404 });
  });

  test("a pause before a retry that its caller ends fails with the caller's reason", async () => {
    const stop = new AbortController();
    const reason = new Error("the sender left");
    const pausing = createS3Client(server.options).pause(
      0,
      new S3Failure(503, "SlowDown", 20_000),
      stop.signal,
    );
    stop.abort(reason);
    await expect(pausing).rejects.toBe(reason);
  });

  test("health takes one request", async () => {
    server.fault = () => SLOW;
    await expect(storeOf().check()).rejects.toBeInstanceOf(StoreUnavailable);
    expect(server.seen.map(({ method, key }) => `${method} ${key}`)).toEqual(["HEAD "]);
  });
});
