import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { receiveUpload } from "../../../src/server/features/ingest/receive-upload.ts";
import { ReceivedBytes } from "../../../src/server/features/ingest/received-bytes.ts";
import type { SpoolRoom } from "../../../src/server/features/ingest/spool-writer.ts";
import { AppError } from "../../../src/server/http/app-error.ts";
import { bodyBytes } from "../../../src/server/runtime/body-bytes.ts";
import { createTempFolder } from "../../support/temp-folder.ts";

const HEAD =
  '--edge\r\nContent-Disposition: form-data; name="zipFile"; filename="a.zip"\r\nContent-Type: application/zip\r\n\r\n';

/** An upload whose sender begins and then does what `then` says. */
function uploadRequest(then: (controller: ReadableStreamDefaultController<Uint8Array>) => void): Request {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(HEAD));
      controller.enqueue(new Uint8Array(3 << 20));
      then(controller);
    },
  });
  const headers = { "content-type": "multipart/form-data; boundary=edge" };
  return new Request("http://localhost/", { method: "POST", body, headers });
}

const endless: SpoolRoom = { take: async () => {}, wrote() {} };

async function failureOf(receiving: Promise<unknown>): Promise<string> {
  const error = await receiving.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return error instanceof AppError ? error.kind.code : String(error);
}

test("an upload that stalls is given up and frees its place", async () => {
  await using folder = createTempFolder();
  const receiving = receiveUpload(
    uploadRequest(() => {}),
    join(folder.path, "spool.zip"),
    1e9,
    endless,
    { windowMs: 50 },
  );
  expect(await failureOf(receiving)).toBe("upload.interrupted");
});

test("an upload is not given up for the time in which this server has no room for its bytes", async () => {
  await using folder = createTempFolder();
  const heldBytes = 64 << 20;
  bodyBytes.hold(heldBytes);
  const receiving = receiveUpload(
    uploadRequest((controller) => {
      controller.enqueue(new TextEncoder().encode("\r\n--edge--\r\n"));
      controller.close();
    }),
    join(folder.path, "spool.zip"),
    1e9,
    endless,
    { windowMs: 50 },
  );
  await Bun.sleep(200);
  bodyBytes.release(heldBytes);
  expect(await receiving).toMatchObject({ sizeBytes: 3 << 20 });
});

test("an upload that trickles is given up like one that stalls", async () => {
  await using folder = createTempFolder();
  const head = '--edge\r\nContent-Disposition: form-data; name="zipFile"; filename="a.zip"\r\n\r\n';
  let timer: Timer | undefined;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(head));
      timer = setInterval(() => controller.enqueue(new Uint8Array(1)), 20);
    },
    cancel: () => clearInterval(timer),
  });
  const headers = { "content-type": "multipart/form-data; boundary=edge" };
  const request = new Request("http://localhost/", { method: "POST", body, headers });
  const receiving = receiveUpload(request, join(folder.path, "spool.zip"), 1e9, endless, { windowMs: 200 });
  expect(await failureOf(receiving)).toBe("upload.interrupted");
});

test("a failed upload writes nothing more, so its folder can be removed", async () => {
  await using folder = createTempFolder();
  for (const _ of Array(20)) {
    const spoolPath = join(folder.path, "upload", "spool.zip");
    const receiving = receiveUpload(
      uploadRequest((controller) => controller.error(new DOMException("gone", "AbortError"))),
      spoolPath,
      1e9,
      endless,
    );
    expect(await failureOf(receiving)).toBe("upload.interrupted");
    await rm(join(folder.path, "upload"), { recursive: true, force: true });
    await Bun.sleep(1);
    expect(existsSync(spoolPath)).toBe(false);
  }
  expect(await readdir(folder.path)).toEqual([]);
});

test("uploads whose bytes can't be written yet are read no further than their common memory bound", async () => {
  await using folder = createTempFolder();
  const open = Promise.withResolvers<void>();
  let pulledBytes = 0;
  const uploads = Array.from({ length: 100 }, (_, number) => {
    let sentPieces = 0;
    const pieces = [
      new TextEncoder().encode(HEAD),
      ...Array.from({ length: 32 }, () => new Uint8Array(32 * 1024)),
    ];
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          const piece = pieces[sentPieces++] ?? new TextEncoder().encode("\r\n--edge--\r\n");
          pulledBytes += piece.length;
          controller.enqueue(piece);
          if (sentPieces > pieces.length) controller.close();
        },
      },
      { highWaterMark: 0 },
    );
    const headers = { "content-type": "multipart/form-data; boundary=edge" };
    const request = new Request("http://localhost/", { method: "POST", body, headers });
    const room: SpoolRoom = { take: () => open.promise, wrote() {} };
    return receiveUpload(request, join(folder.path, `${number}.zip`), 1e9, room);
  });
  for (let before = -1; before !== pulledBytes; await Bun.sleep(100)) before = pulledBytes;
  // Beside the 32 MiB each may have had one read under way.
  expect(pulledBytes).toBeLessThan(40 * 1024 * 1024);
  open.resolve();
  const received = await Promise.all(uploads);
  expect(received.map(({ sizeBytes }) => sizeBytes)).toEqual(Array(100).fill(1024 * 1024));
});

test.each([
  ["large", 40, false],
  ["small", 6, true],
])(
  "the bytes of a %s upload are written whole; those kept for another reading stay",
  async (_, count, isKept) => {
    await using folder = createTempFolder();
    const spoolPath = join(folder.path, "spool.zip");
    // Some begin as the delimiter does, and one ends so.
    const content = Array.from({ length: count }, (_, index) => new Uint8Array(256 << 10).fill(index + 32));
    content.at(2)?.set(new TextEncoder().encode("\r\n--ed"), (256 << 10) - 6);
    const whole = Buffer.concat(content);
    let next = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (next === 0) controller.enqueue(new TextEncoder().encode(HEAD));
        const chunk = content[next++];
        if (chunk) return controller.enqueue(chunk);
        controller.enqueue(new TextEncoder().encode("\r\n--edge--\r\n"));
        controller.close();
      },
    });
    const headers = { "content-type": "multipart/form-data; boundary=edge" };
    const request = new Request("http://localhost/", { method: "POST", body, headers });
    using received = new ReceivedBytes();
    const { sizeBytes } = await receiveUpload(request, spoolPath, 1e9, endless, { received });
    expect(sizeBytes).toBe(whole.length);
    expect(Bun.file(spoolPath).size).toBe(whole.length);
    expect(Buffer.from(await Bun.file(spoolPath).bytes()).equals(whole)).toBe(true);
    expect(received.isWhole(sizeBytes)).toBe(isKept);
    if (!isKept) {
      // All but the few that came before it was large, or that share their chunk with a delimiter's beginning.
      expect(content.filter((chunk) => chunk.buffer.byteLength === 0).length).toBeGreaterThan(count - 12);
      return;
    }
    await received.writeTo(spoolPath);
    expect(Buffer.from(await Bun.file(spoolPath).bytes()).equals(whole)).toBe(true);
  },
);
