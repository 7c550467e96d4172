import { describe, expect, test } from "bun:test";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { createS3Client } from "../../../src/server/storage/s3/s3-client.ts";

/** The store is asked whether it is there with a third of the patience, in which also a busy machine answers. */
const clientOf = (port: number) =>
  createS3Client({
    endpoint: `http://127.0.0.1:${port}`,
    region: "us-east-1",
    bucket: "bucket",
    accessKeyId: "key",
    secretAccessKey: "secret",
    timeoutMs: 600,
    retryDelayMs: 1,
    minBytesPerSecond: 10,
  });

/** A store that answers what `answers` lets it answer, and notes what it was asked. */
function startStore(answers: (method: string) => boolean) {
  const asked: string[] = [];
  const waiting: (() => void)[] = [];
  const server = Bun.serve({
    port: 0,
    fetch: ({ method }) => {
      asked.push(method);
      if (answers(method)) return new Response();
      const { promise, resolve } = Promise.withResolvers<Response>();
      waiting.push(() => resolve(new Response()));
      return promise;
    },
  });
  return {
    asked,
    client: clientOf(server.port ?? 0),
    /** Answers all that waits. */
    answerWaiting: () => waiting.splice(0).forEach((answer) => void answer()),
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

describe("a store that takes connections and stays silent", () => {
  test("is asked twice, so that readers are told in time", async () => {
    await using store = startStore(() => false);
    const reading = store.client.openStream({ method: "GET", key: "a" });
    await expect(reading).rejects.toThrow("S3 is silent");
    expect(store.asked).toEqual(["GET", "HEAD"]);
  });

  test("is given up by who sends a body, however long that may take to send", async () => {
    await using store = startStore(() => false);
    const sending = store.client.send({ method: "PUT", key: "a", body: new Uint8Array(1_000) });
    await expect(sending).rejects.toThrow("S3 is silent");
    expect(store.asked).toEqual(["PUT", "HEAD"]);
  });

  test("keeps nobody waiting again until it answers", async () => {
    let isThere = false;
    await using store = startStore(() => isThere);
    const head = () => store.client.send({ method: "HEAD", key: "a" });
    await expect(head()).rejects.toThrow("S3 is silent");
    await expect(head()).rejects.toThrow("S3 is silent");
    expect(store.asked).toHaveLength(3);
    isThere = true;
    await head();
    expect(store.asked).toHaveLength(5);
    await head();
    expect(store.asked).toHaveLength(6);
  });

  test("is not one that takes long for a body and answers others", async () => {
    await using store = startStore((method) => method !== "PUT");
    const sending = store.client.send({ method: "PUT", key: "a", body: new Uint8Array(1_000) });
    while (store.asked.length < 3) await Bun.sleep(5);
    store.answerWaiting();
    await sending;
    expect(store.asked.slice(0, 3)).toEqual(["PUT", "HEAD", "HEAD"]);
  });

  test("and takes nothing though it is there, is waited for by one that puts something, and less by all others", async () => {
    let takes = false;
    await using store = startStore((method) => takes || method === "HEAD");
    const ended: string[] = [];
    const put = async (bytes: number) => {
      const body = new Uint8Array(bytes);
      const sent = store.client.send({ method: "PUT", key: "a", body }).catch((error) => error);
      ended.push(`${bytes} ${(await sent) instanceof Error ? "failed" : "kept"}`);
    };
    const putsIn = async (...sizes: number[]) => {
      const before = store.asked.length;
      await Promise.all(sizes.map(put));
      return store.asked.slice(before).filter((method) => method === "PUT").length;
    };
    expect(await putsIn(0)).toBe(2);
    // By its size alone the second one would be waited for longer.
    expect(await putsIn(4, 6)).toBe(2);
    takes = true;
    expect(await putsIn(1)).toBe(1);
    takes = false;
    expect(await putsIn(0)).toBe(2);
    expect(ended).toEqual(["0 failed", "6 failed", "4 failed", "1 kept", "0 failed"]);
  });

  test("is not one whose idle connections a firewall dropped", async () => {
    const dropped = new Set<Socket>();
    const open = new Set<Socket>();
    let waiting: ServerResponse[] = [];
    const server = createServer(({ socket }, response) => {
      open.add(socket);
      if (dropped.has(socket)) return;
      waiting.push(response);
      if (dropped.size === 0 && waiting.length < 3) return;
      for (const one of waiting) one.end();
      waiting = [];
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const client = clientOf((server.address() as AddressInfo).port);
    const put = () => client.send({ method: "PUT", key: "a", body: new Uint8Array(1) });
    try {
      await Promise.all([put(), put(), put()]);
      for (const socket of open) dropped.add(socket);
      await put();
      expect(open.size).toBeGreaterThan(dropped.size);
    } finally {
      server.close();
      server.closeAllConnections();
    }
  });
});
