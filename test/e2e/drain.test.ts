import { expect, test } from "bun:test";
import { request } from "node:http";
import type { Study } from "../../src/shared/api/studies.ts";
import { TagHex } from "../../src/shared/dicom/tags.ts";
import { listStudies } from "../support/program/sent-uploads.ts";
import { postZip, type ServerProcess, spawnServer } from "../support/program/server-process.ts";
import { createTempFolder } from "../support/temp-folder.ts";
import { sampleInstance } from "../support/zip/sample-zip.ts";
import { writeTestZip } from "../support/zip/zip-archive.ts";

const MIB = 1024 * 1024;

/** More than the sockets between the server and its reader hold. */
function bigZip(): Uint8Array {
  const pixels = new Uint8Array(24 * MIB).fill(5);
  const content = sampleInstance({
    study: "1",
    elements: { [TagHex.PixelData]: { vr: "OW", bytes: pixels } },
  });
  return writeTestZip([{ name: "IM1", content, method: 0 }]);
}

test.skipIf(process.platform !== "linux")(
  "SIGTERM lets a download under way finish, takes no new request, and ends the server cleanly",
  async () => {
    await using folder = createTempFolder();
    await using server = await spawnServer(folder.path);
    const token = await server.signIn();
    const sent = await postZip(server, token, new Blob([Uint8Array.from(bigZip())]));
    expect(sent.status).toBe(201);
    // A study that is still being moved is streamed without a length.
    const study = await archivedStudy(server, token);

    const begun = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<{ received: number; announced: number }>();
    const download = request(`${server.url}/api/studies/${study?.id}/download`, {
      headers: { authorization: `Bearer ${token}` },
    });
    download.on("error", ended.reject);
    download.on("response", (answer) => {
      let received = 0;
      answer.once("data", () => {
        answer.pause();
        begun.resolve();
      });
      answer.on("data", (piece: Uint8Array) => {
        received += piece.length;
      });
      answer.on("error", ended.reject);
      answer.on("end", () =>
        ended.resolve({ received, announced: Number(answer.headers["content-length"]) }),
      );
      begun.promise.then(() => stopping.then(() => answer.resume()));
    });
    const stopped = Promise.withResolvers<void>();
    const stopping = stopped.promise;
    download.end();
    await begun.promise;
    const terminated = server.terminate();
    await refusesNewRequests(server.url);
    stopped.resolve();
    const { received, announced } = await ended.promise;
    expect(received).toBe(announced);
    expect((await terminated).code).toBe(0);
  },
  240_000,
);

async function archivedStudy(server: ServerProcess, token: string): Promise<Study | undefined> {
  for (;;) {
    const [study] = await listStudies(server, token);
    if (study?.storageStatus === "b2") return study;
    await Bun.sleep(50);
  }
}

/** Waits until the server no longer accepts a connection. */
async function refusesNewRequests(url: string): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (Date.now() < deadline) {
    const answer = await fetch(`${url}/api/health`, {
      keepalive: false,
      headers: { connection: "close" },
    }).catch(() => undefined);
    if (!answer) return;
    await answer.body?.cancel();
    await Bun.sleep(10);
  }
  throw new Error("it still takes requests");
}
