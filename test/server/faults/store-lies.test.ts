import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { createLogger } from "../../../src/server/runtime/log.ts";
import { StoreUnavailable } from "../../../src/server/storage/object-store.ts";
import { createS3Store } from "../../../src/server/storage/s3/s3-store.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";
import { tusOf } from "../../support/app/tus.ts";
import { connectSender } from "../../support/dicom/dicom-sender.ts";
import { type FaultyS3Server, startFaultyS3Server } from "../../support/store/faulty-s3-server.ts";
import { sampleInstance, sampleZip } from "../../support/zip/sample-zip.ts";

const CT = "1.2.840.10008.5.1.4.1.1.2";
const OUT_OF_RESOURCES = 0xa700;

type Handle = FaultyS3Server["bucket"]["handle"];

let s3: FaultyS3Server;
let honest: Handle;
let t: TestApp;
let person: Person;
let studies = 0;

beforeAll(async () => {
  s3 = await startFaultyS3Server();
  honest = s3.bucket.handle;
  // What fails on purpose is logged.
  const log = createLogger({ level: "error", write: () => {} });
  t = await createTestApp({ env: { DIMSE_PORT: "0" }, overrides: { store: createS3Store(s3.options), log } });
  person = await t.addPerson("Loja Mente", { plan: "clinica" });
  await t.call("POST", "/api/receivers", { as: person, json: { aeTitle: "CLINICA" } });
}, 240_000);
afterAll(async () => {
  await t[Symbol.asyncDispose]();
  await s3[Symbol.asyncDispose]();
});
beforeEach(() => {
  s3.bucket.handle = honest;
});

/** Answers a request for a piece of a resumable upload, or leaves it to the bucket. */
function onPieces(
  answer: (request: Parameters<Handle>[0], body: Uint8Array) => ReturnType<Handle> | undefined,
) {
  s3.bucket.handle = (request, body) =>
    (request.key.endsWith(".part") && answer(request, body)) || honest(request, body);
}

const lies: Record<string, (body: Uint8Array) => Uint8Array | undefined> = {
  "keeps nothing": () => undefined,
  "keeps less": (body) => body.subarray(0, -1),
  "keeps other bytes": (body) => body.map((byte, index) => (index === 200 ? byte ^ 1 : byte)),
};

for (const [what, kept] of Object.entries(lies)) {
  describe(`a store that says it took a piece and ${what}`, () => {
    const takeWrong = () =>
      onPieces((request, body) => {
        if (request.method !== "PUT") return undefined;
        const bytes = kept(body);
        if (bytes) honest(request, bytes);
        return { status: 200, headers: { etag: '"0"' }, body: new Uint8Array() };
      });

    test("has no DICOM sender told that an instance is kept", async () => {
      const study = String(++studies);
      const file = Buffer.from(
        sampleInstance({ study, elements: { [TagHex.SOPClassUID]: { vr: "UI", Value: [CT] } } }),
      );
      const instance = {
        sopClassUID: CT,
        sopInstanceUID: `2.25.3.${study}.1.1`,
        dataSet: file.subarray(144 + file.readUInt32LE(140)),
      };
      await using sender = await connectSender(t.deps.dimse.port ?? 0);
      expect(await sender.associate({ called: "CLINICA" })).toBe("accepted");
      takeWrong();
      expect(await sender.store(instance)).toBe(OUT_OF_RESOURCES);
      s3.bucket.handle = honest;
      expect(await sender.store(instance)).toBe(0);
    }, 120_000);

    test("has no resumable upload go on behind that piece", async () => {
      const tus = tusOf(t, person);
      const zip = sampleZip({ study: String(++studies) });
      const url = await tus.begin(zip.length);
      takeWrong();
      expect((await tus.patch(url, 0, zip)).status).toBe(503);
      expect((await tus.head(url)).headers.get("upload-offset")).toBe("0");
      s3.bucket.handle = honest;
      expect((await tus.patch(url, 0, zip)).status).toBe(204);
      expect((await tus.outcome(url)).state).toBe("done");
    }, 120_000);
  });
}

describe("a whole resumable upload is taken in although the store once answers", () => {
  const answers: Record<string, (right: Uint8Array) => ReturnType<Handle>> = {
    "other bytes": (right) => ({
      status: 206,
      headers: { "content-range": `bytes 0-${right.length - 1}/${right.length}` },
      body: right.map((byte) => byte ^ 1),
    }),
    "that a piece is gone": () => ({
      status: 404,
      body: new TextEncoder().encode("<Error><Code>NoSuchKey</Code></Error>"),
    }),
  };
  for (const [what, wrong] of Object.entries(answers)) {
    test(what, async () => {
      const tus = tusOf(t, person);
      const zip = sampleZip({ study: String(++studies) });
      const url = await tus.begin(zip.length);
      let reads = 0;
      onPieces((request, body) => {
        // The first read looks whether it is kept; the store says twice that an object is gone before that counts.
        if (request.method !== "GET" || ![2, 3].includes(++reads)) return undefined;
        return wrong(honest(request, body).body);
      });
      expect((await tus.patch(url, 0, zip)).status).toBe(204);
      expect((await tus.outcome(url)).state).toBe("done");
      expect(reads).toBeGreaterThan(2);
    }, 120_000);
  }
});

test("what a listing names that was not asked for is not removed", async () => {
  const store = createS3Store(s3.options);
  await store.putBytes("one/a", new Uint8Array([1]));
  await store.putBytes("other/b", new Uint8Array([2]));
  s3.bucket.handle = (request, body) => {
    request.query.delete("prefix");
    return honest(request, body);
  };
  await expect(Array.fromAsync(store.list("one/"))).rejects.toThrow(StoreUnavailable);
  s3.bucket.handle = honest;
  expect(await store.stat("other/b")).toEqual({ sizeBytes: 1 });
});
