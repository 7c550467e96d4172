import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { existsSync, truncateSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { unzipSync, zipSync } from "fflate";
import { createDeliveryGate } from "../../../src/server/features/deliveries/delivery-gate.ts";
import { finishUpload } from "../../../src/server/features/ingest/resumable/finish-upload.ts";
import { sweepResumables } from "../../../src/server/features/ingest/resumable/sweep-resumables.ts";
import { IngestRefused } from "../../../src/server/features/ingest/worker/worker.errors.ts";
import { createDiskRoom } from "../../../src/server/storage/disk/disk-room.ts";
import type { ResumableUploadState } from "../../../src/shared/api/resumable.ts";
import type { Study } from "../../../src/shared/api/studies.ts";
import { createTestApp, type Person, problemOf, type TestApp } from "../../support/app/test-app.ts";
import { tusChecksum, tusHeaders, tusMetadata, tusOf } from "../../support/app/tus.ts";
import { until } from "../../support/until.ts";
import { sampleInstance, sampleZip, studyUID } from "../../support/zip/sample-zip.ts";
import { writeTestZip } from "../../support/zip/zip-archive.ts";

let t: TestApp;
let person: Person;
let tus: ReturnType<typeof tusOf>;
beforeAll(async () => {
  t = await createTestApp({ env: { MAX_UPLOAD_BYTES: String(64 * 1024 ** 2) } });
  person = await t.addPerson("Envia Aos Poucos", { plan: "clinica" });
  tus = tusOf(t, person);
});
afterAll(() => t[Symbol.asyncDispose]());

const DAY = 24 * 3600_000;
const arriving = (): Promise<string[]> => readdir(join(t.deps.config.dataDir, "arriving"));
const pathOf = (url: string) => join(t.deps.config.dataDir, "arriving", url.split("/").at(-1) ?? "", "bytes");
async function again(who: Person): Promise<Person> {
  const { email, password } = who;
  const answer = await t.call("POST", "/api/auth/login", { json: { email, password } });
  return { ...who, token: ((await answer.json()) as { token: string }).token };
}
const signedIn = async (who: Person) => tusOf(t, await again(who));
const offsetOf = async (url: string) => (await tus.head(url)).headers.get("upload-offset");

describe("what the server says of itself", () => {
  test("is tus 1.0.0 with its extensions, to anybody, and to no other origin", async () => {
    for (const path of ["/api/uploads", "/api/uploads/019a0000-0000-7000-8000-000000000000"]) {
      const answer = await t.call("OPTIONS", path, { headers: { origin: "https://elsewhere.example" } });
      expect(answer.status).toBe(204);
      expect(answer.headers.get("tus-version")).toBe("1.0.0");
      expect(answer.headers.get("tus-extension")?.split(",")).toEqual(
        expect.arrayContaining(["creation", "checksum", "termination", "expiration"]),
      );
      expect(answer.headers.get("tus-max-size")).toBe(String(64 * 1024 ** 2));
      expect(answer.headers.get("tus-checksum-algorithm")).toBe("sha256");
      expect(answer.headers.get("access-control-allow-origin")).toBeNull();
    }
  });

  test("is repeated to a client that speaks another version", async () => {
    const url = await tus.begin(10);
    for (const method of ["POST", "HEAD", "PATCH", "DELETE"]) {
      for (const headers of [{}, { "tus-resumable": "0.2.2" }] as Record<string, string>[]) {
        const path = method === "POST" ? "/api/uploads" : url;
        const answer = await t.call(method, path, { as: person, headers });
        expect([method, answer.status, answer.headers.get("tus-version")]).toEqual([method, 412, "1.0.0"]);
      }
    }
    await tus.end(url);
  });
});

test("every answer names the version, also those to nobody", async () => {
  for (const method of ["GET", "HEAD", "PATCH", "DELETE"]) {
    const answer = await t.call(method, "/api/uploads/019a0000-0000-7000-8000-000000000000");
    expect([method, answer.status, answer.headers.get("tus-resumable")]).toEqual([method, 401, "1.0.0"]);
  }
});

test.each([
  ["takes too long to read", "worker.slow", 3],
  ["ends its worker each time", "worker.lost", 6],
] as const)("an upload that %s (%s) is given up after %d times", async (_, failure, times) => {
  using _opening = spyOn(t.deps.ingestWorkers, "open").mockImplementation(async () => {
    throw new IngestRefused(failure, "scan");
  });
  const zip = sampleZip({ study: "77" });
  const url = await tus.begin(zip.length);
  expect((await tus.patch(url, 0, zip)).status).toBe(204);
  const deps = { ...t.deps, gate: createDeliveryGate(t.deps) };
  const run = { id: "", enqueuedAt: new Date(), signal: new AbortController().signal };
  const finish = (attempt: number) => finishUpload(deps, url.split("/").at(-1) ?? "", { ...run, attempt });
  await expect(finish(times - 1)).rejects.toThrow();
  // The job of the upload may take it over each time.
  await until(async () => {
    await finish(times);
    return (await tus.read(url)).state === "failed";
  });
  await tus.end(url);
});

test("the sender of an upload for which the disk has no room hears so at the first try, and at last", async () => {
  const zip = sampleZip({ study: "78" });
  const readSpace = async () => ({ freeBytes: 0, sizeBytes: 0 });
  const deps = {
    ...t.deps,
    gate: createDeliveryGate(t.deps),
    disk: createDiskRoom({ spareBytes: 1, readSpace }),
  };
  const run = { id: "", enqueuedAt: new Date(), signal: new AbortController().signal };
  const whole = await wholeUpload(zip);
  const finish = (attempt: number) => finishUpload(deps, whole.id, { ...run, attempt });
  await expect(finish(1)).rejects.toThrow();
  const waiting = { state: "processing", problem: { status: 507, code: "storage.full" } };
  expect(await tus.read(whole.url)).toMatchObject(waiting);
  await finish(30);
  expect(await tus.read(whole.url)).toMatchObject({ ...waiting, state: "failed" });
  await tus.end(whole.url);

  const other = await wholeUpload(zip);
  await expect(finishUpload(deps, other.id, { ...run, attempt: 1 })).rejects.toThrow();
  await finishUpload({ ...t.deps, gate: deps.gate }, other.id, { ...run, attempt: 2 });
  const done = await tus.read(other.url);
  expect([done.state, done.problem, done.result?.instancesReceived]).toEqual(["done", undefined, 1]);
});

/** Sends an upload whole; no job takes it in. */
async function wholeUpload(zip: Uint8Array): Promise<{ url: string; id: string }> {
  using _jobs = spyOn(t.deps.jobs, "enqueue").mockResolvedValue(undefined as never);
  const url = await tus.begin(zip.length);
  expect((await tus.patch(url, 0, zip)).status).toBe(204);
  return { url, id: url.split("/").at(-1) ?? "" };
}

describe("an upload in pieces", () => {
  test("stays as it is after a chunk of no bytes, whose checksum counts too", async () => {
    const url = await tus.begin(10);
    const empty = (headers: Record<string, string>) =>
      t.call("PATCH", url, {
        as: person,
        headers: { ...tusHeaders, "content-type": "application/offset+octet-stream", ...headers },
      });
    const taken = await empty({ "upload-offset": "0" });
    expect([taken.status, taken.headers.get("upload-offset")]).toEqual([204, "0"]);
    const sum = tusChecksum(new Uint8Array([1]));
    expect((await empty({ "upload-offset": "0", "upload-checksum": sum })).status).toBe(460);
    expect((await empty({ "upload-offset": "1" })).status).toBe(409);
    await tus.end(url);
  });

  test("of a client that knows POST alone goes as with the methods that it names", async () => {
    const zip = sampleZip({ study: "99" });
    const url = await tus.begin(zip.length);
    const post = (method: string, body?: Uint8Array, headers: Record<string, string> = {}) =>
      t.call("POST", url, {
        as: person,
        ...(body && { body: Uint8Array.from(body) }),
        headers: { ...tusHeaders, "x-http-method-override": method, ...headers },
      });
    const chunk = { "content-type": "Application/Offset+Octet-Stream; charset=binary", "upload-offset": "0" };
    const sent = await post("PATCH", zip.subarray(0, 100), chunk);
    expect([sent.status, sent.headers.get("upload-offset")]).toEqual([204, "100"]);
    expect((await post("HEAD")).headers.get("upload-offset")).toBe("100");
    expect((await post("PUT")).status).toBe(404);
    expect((await post("PATCH", zip.subarray(100), { ...chunk, "upload-offset": "100" })).status).toBe(204);
    expect((await tus.outcome(url)).result?.instancesReceived).toBe(1);
    expect((await post("DELETE")).status).toBe(204);
    expect((await tus.head(url)).status).toBe(404);
  });

  test("is taken in once its last byte is there, like an upload in one form", async () => {
    const zip = sampleZip({ study: "100" }, { study: "100", sop: "2" });
    const formData = JSON.stringify({ description: "Com contraste" });
    const url = await tus.begin(zip.length, {
      "upload-metadata": tusMetadata({ filename: "joão.zip", formData }),
    });
    expect(await tus.read(url)).toMatchObject({ state: "receiving", offset: 0, filename: "joão.zip" });
    const half = zip.length >> 1;
    const first = await tus.patch(url, 0, zip.subarray(0, half));
    expect([first.status, first.headers.get("upload-offset")]).toEqual([204, String(half)]);
    const head = await tus.head(url);
    expect(head.status).toBe(200);
    expect(head.headers.get("upload-length")).toBe(String(zip.length));
    expect(head.headers.get("cache-control")).toBe("no-store");
    expect(head.headers.get("upload-metadata")).toBe(tusMetadata({ filename: "joão.zip", formData }));
    const inAWeek = Date.parse(head.headers.get("upload-expires") ?? "");
    expect(Math.abs(inAWeek - Date.now() - 7 * DAY)).toBeLessThan(60_000);
    const rest = zip.subarray(half);
    const last = await tus.patch(url, half, rest, { "upload-checksum": tusChecksum(rest) });
    expect(last.status).toBe(204);
    const done = await tus.outcome(url);
    expect(done).toMatchObject({ state: "done", offset: zip.length, sizeBytes: zip.length });
    expect(done.result).toMatchObject({
      studyInstanceUID: studyUID("100"),
      instancesReceived: 2,
      studies: [{ studyInstanceUID: studyUID("100"), imagesReceived: 2, duplicates: 0 }],
      skipped: [],
    });
    await t.settle();
    const listed = (await (await t.call("GET", "/api/studies", { as: person })).json()) as Study[];
    expect(listed.find(({ id }) => id === done.result?.studies[0]?.id)).toMatchObject({
      studyDescription: "Com contraste",
      storageStatus: "b2",
    });
    expect(await arriving()).toEqual([]);
    expect(await offsetOf(url)).toBe(String(zip.length));
    const listing = (await (
      await t.call("GET", "/api/uploads", { as: person })
    ).json()) as ResumableUploadState[];
    expect(listing.map(({ id }) => url.endsWith(id))).toContain(true);
    expect((await tus.end(url)).status).toBe(204);
    expect((await tus.head(url)).status).toBe(404);
    expect((await t.call("GET", url, { as: person })).status).toBe(404);
  });

  test("may begin with its creation", async () => {
    const zip = sampleZip({ study: "101" });
    const created = await tus.create(zip.length, {}, zip);
    expect([created.status, created.headers.get("upload-offset")]).toEqual([201, String(zip.length)]);
    const { result } = await tus.outcome(created.headers.get("location") ?? "");
    expect(result?.instancesReceived).toBe(1);
  });

  test("is taken in whatever its other files are called", async () => {
    const other = Uint8Array.of(1);
    const names = ["a\0b", `${"n".repeat(254)}😀`];
    const entries = names.map((name) => ({ name, content: other }));
    const zip = writeTestZip([{ name: "IM1", content: sampleInstance({ study: "104.1" }) }, ...entries]);
    const url = await tus.begin(zip.length);
    await tus.patch(url, 0, zip);
    const { state, result } = await tus.outcome(url);
    expect([state, result?.instancesReceived, result?.skippedCount]).toEqual(["done", 1, 2]);
  });

  test("keeps its reason in the reader's language when it holds no exam", async () => {
    const bytes = new Uint8Array(1000);
    const url = await tus.begin(bytes.length);
    await tus.patch(url, 0, bytes);
    const failed = await tus.outcome(url);
    expect(failed.problem).toMatchObject({ code: "upload.unreadable", status: 422, reason: "zip.not_zip" });
    expect(failed.problem?.message).toContain("ZIP file is damaged");
    const portuguese = await tus.read(url, { "accept-language": "pt-BR" });
    expect(portuguese.problem?.message).not.toBe(failed.problem?.message);
    await t.settle();
    expect(await arriving()).toEqual([]);
  });
});

describe("a chunk", () => {
  test("at another offset, of another type, or too long is refused and changes nothing", async () => {
    const url = await tus.begin(10);
    const bytes = new Uint8Array(4);
    expect((await tus.patch(url, 2, bytes)).status).toBe(409);
    expect((await tus.patch(url, 0, bytes, { "content-type": "application/zip" })).status).toBe(415);
    const tooLong = await tus.patch(url, 0, new Uint8Array(11));
    expect(await problemOf(tooLong)).toMatchObject({
      status: 413,
      message: expect.stringContaining("10 bytes"),
    });
    expect((await tus.patch(url, 0, bytes, { "upload-offset": "-1" })).status).toBe(400);
    expect((await tus.patch(url, 0, bytes, { "upload-checksum": "md5 AAAA" })).status).toBe(400);
    expect(await offsetOf(url)).toBe("0");
    await tus.end(url);
  });

  test("that differs from its checksum is a 460 and is not kept", async () => {
    const zip = sampleZip({ study: "102" });
    const url = await tus.begin(zip.length);
    const wrong = await tus.patch(url, 0, zip.toReversed(), { "upload-checksum": tusChecksum(zip) });
    expect([wrong.status, (await problemOf(wrong)).code]).toEqual([460, "upload.checksum"]);
    expect(await offsetOf(url)).toBe("0");
    expect((await tus.patch(url, 0, zip, { "upload-checksum": tusChecksum(zip) })).status).toBe(204);
    expect((await tus.outcome(url)).state).toBe("done");
  });

  test("of two at once, one is written", async () => {
    const zip = sampleZip({ study: "103" });
    const url = await tus.begin(zip.length);
    const answers = await Promise.all([1, 2, 3].map(() => tus.patch(url, 0, zip)));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses[0]).toBe(204);
    for (const status of statuses.slice(1)) expect([409, 423]).toContain(status);
    expect((await tus.outcome(url)).result?.instancesReceived).toBe(1);
  });

  test("that was cut off counts as far as it came, unless it promised a checksum", async () => {
    const url = await tus.begin(100_000);
    const cut = (headers: Record<string, string>) => {
      let isFirst = true;
      const body = new ReadableStream<Uint8Array>({
        pull(controller) {
          if (!isFirst) return controller.error(new Error("cut"));
          isFirst = false;
          controller.enqueue(new Uint8Array(1000));
        },
      });
      return t.call("PATCH", url, {
        as: person,
        body,
        headers: {
          ...tusHeaders,
          "content-type": "application/offset+octet-stream",
          "upload-offset": "0",
          ...headers,
        },
      });
    };
    expect((await cut({ "upload-checksum": tusChecksum(new Uint8Array(2000)) })).status).toBe(400);
    expect(await offsetOf(url)).toBe("0");
    expect((await cut({})).status).toBe(400);
    expect(await offsetOf(url)).toBe("1000");
    await tus.end(url);
    expect(await arriving()).toEqual([]);
  });
});

test("an upload that is dismissed while its first bytes come is not found any more", async () => {
  const url = await tus.begin(100_000);
  let isFirst = true;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (isFirst) controller.enqueue(new Uint8Array(1000));
      else {
        expect((await tus.end(url)).status).toBe(204);
        controller.close();
      }
      isFirst = false;
    },
  });
  const headers = { ...tusHeaders, "content-type": "application/offset+octet-stream", "upload-offset": "0" };
  const answer = await t.call("PATCH", url, { as: person, body, headers });
  expect([answer.status, (await problemOf(answer)).code]).toEqual([404, "upload.not_found"]);
});

describe("a request whose line went dead without a word", () => {
  test("ends when its sender asks again, and when nobody else does", async () => {
    const stranger = tusOf(t, await t.addPerson("Outra Pessoa"));
    const zip = sampleZip({ study: "104" });
    const url = await tus.begin(zip.length);
    const { promise: isRead, resolve: read } = Promise.withResolvers<void>();
    let hasCome = false;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (!hasCome) {
          hasCome = true;
          return controller.enqueue(Uint8Array.from(zip.subarray(0, 500)));
        }
        read();
        return new Promise(() => {}); // nothing more comes
      },
    });
    const silent = t.call("PATCH", url, {
      as: person,
      body,
      headers: { ...tusHeaders, "content-type": "application/offset+octet-stream", "upload-offset": "0" },
    });
    await isRead;
    expect((await stranger.head(url)).status).toBe(404);
    const [row] =
      await t.sql`select held_by from resumable_uploads where id = ${url.split("/").at(-1) ?? ""}`;
    expect(row?.held_by).toBeString();
    expect(await offsetOf(url)).toBe("500");
    expect((await tus.patch(url, 500, zip.subarray(500))).status).toBe(204);
    expect((await silent).status).toBe(423);
    expect((await tus.outcome(url)).state).toBe("done");
  });
});

describe("a chunk behind another one", () => {
  /** A chunk whose body stays open until it is ended. */
  async function open(url: string, offset: number, bytes: Uint8Array) {
    const { promise: isRead, resolve: read } = Promise.withResolvers<void>();
    const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
    let hasCome = false;
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        if (!hasCome) {
          hasCome = true;
          return controller.enqueue(Uint8Array.from(bytes));
        }
        read();
        await isOver;
        controller.close();
      },
    });
    const headers = { "content-type": "application/offset+octet-stream", "upload-offset": String(offset) };
    const answer = t.call("PATCH", url, { as: person, body, headers: { ...tusHeaders, ...headers } });
    await isRead;
    return { answer, end };
  }
  const holderOf = async (url: string) => {
    const [row] =
      await t.sql`select held_by from resumable_uploads where id = ${url.split("/").at(-1) ?? ""}`;
    return row?.held_by as unknown;
  };

  test("goes on under the hold of the former one, and keeps others out while it runs", async () => {
    const zip = sampleZip({ study: "150" });
    const url = await tus.begin(zip.length);
    expect((await tus.patch(url, 0, zip.subarray(0, 500))).status).toBe(204);
    const holder = await holderOf(url);
    expect(holder).toBeString();
    const running = await open(url, 500, zip.subarray(500, 520));
    expect(await holderOf(url)).toBe(holder);
    const upperCase = url.replace(/[^/]+$/, (id) => id.toUpperCase());
    for (const same of [url, upperCase])
      expect((await tus.patch(same, 500, zip.subarray(500))).status).toBe(423);
    running.end();
    const { status, headers } = await running.answer;
    expect([status, headers.get("upload-offset")]).toEqual([204, "520"]);
    expect((await tus.patch(url, 520, zip.subarray(520))).status).toBe(204);
    expect((await tus.outcome(url)).result?.instancesReceived).toBe(1);
  });

  test("is not for somebody else, nor for an upload that another process took or that ended", async () => {
    const stranger = tusOf(t, await t.addPerson("Outra Pessoa"));
    const zip = sampleZip({ study: "151" });
    const id = (url: string) => url.split("/").at(-1) ?? "";
    const begin = async () => {
      const url = await tus.begin(zip.length);
      expect((await tus.patch(url, 0, zip.subarray(0, 500))).status).toBe(204);
      return url;
    };
    const kept = await begin();
    expect((await stranger.patch(kept, 500, zip.subarray(500))).status).toBe(404);
    expect((await tus.patch(kept, 400, zip.subarray(400))).status).toBe(409);
    expect((await tus.patch(kept, 500, zip.subarray(500))).status).toBe(204);
    expect((await tus.outcome(kept)).state).toBe("done");

    const taken = await begin();
    await t.sql`update resumable_uploads set held_by = 'another one' where id = ${id(taken)}`;
    expect((await tus.patch(taken, 500, zip.subarray(500))).status).toBe(423);
    expect(await offsetOf(taken)).toBe("500");
    await t.sql`update resumable_uploads set held_by = null where id = ${id(taken)}`;
    expect((await tus.patch(taken, 500, zip.subarray(500))).status).toBe(204);
    expect((await tus.outcome(taken)).state).toBe("done");

    const ended = await begin();
    expect((await tus.end(ended)).status).toBe(204);
    expect((await tus.patch(ended, 500, zip.subarray(500))).status).toBe(404);
  });
});

describe("a creation", () => {
  test("above the largest size is a 413, and one without a length, a ZIP, or sound metadata, or of a part, a 400", async () => {
    expect((await tus.create(64 * 1024 ** 2 + 1)).status).toBe(413);
    expect((await tus.create(0)).status).toBe(400);
    for (const headers of [
      { "upload-length": "" },
      { "upload-length": "1e3" },
      { "upload-concat": "partial" },
      { "upload-concat": "final;/api/uploads/a /api/uploads/b" },
      { "upload-metadata": tusMetadata({ filename: "exame.rar" }) },
      { "upload-metadata": "filename não-é-base64" },
      { "upload-metadata": "filename YQ==,filename YQ==" },
      { "upload-metadata": tusMetadata({ formData: "{" }) },
      { "upload-metadata": tusMetadata({ formData: '{"patientBirthDate":"ontem"}' }) },
    ] as Record<string, string>[]) {
      const answer = await tus.create(10, headers);
      expect([headers, answer.status]).toEqual([headers, 400]);
    }
  });

  test("reserves its bytes: what would not fit beside the open ones is refused at once, also in one form", async () => {
    const who = await t.addPerson("Pouco Espaço");
    await t.sql`update plans set storage_bytes = ${40 * 1024 ** 2} where id in
      (select plan_id from subscriptions where user_id = ${who.id})`;
    const theirs = tusOf(t, who);
    const url = await theirs.begin(39 * 1024 ** 2);
    const refused = await theirs.create(2 * 1024 ** 2);
    expect([refused.status, (await problemOf(refused)).code]).toEqual([403, "quota.bytes"]);
    const padded = new Uint8Array(4 * 1024 ** 2);
    expect((await t.upload(who, padded)).status).toBe(403);
    await theirs.end(url);
    expect((await theirs.create(2 * 1024 ** 2)).status).toBe(201);
  });

  test("is refused when the plan holds no more exams, unless the form names one that is there", async () => {
    const who = await t.addPerson("Lotada", { plan: "avaliacao" });
    await t.store(who, sampleZip({ study: "110" }, { study: "111" }));
    const theirs = tusOf(t, who);
    const refused = await theirs.create(1000);
    expect([refused.status, (await problemOf(refused)).code]).toEqual([403, "quota.trial"]);
    const formData = JSON.stringify({ studyInstanceUID: studyUID("110") });
    const zip = sampleZip({ study: "110", sop: "2" });
    const url = await theirs.begin(zip.length, { "upload-metadata": tusMetadata({ formData }) });
    await theirs.patch(url, 0, zip);
    expect((await theirs.outcome(url)).result?.instancesReceived).toBe(1);
  });

  test("of the twenty-first upload at once is a 429", async () => {
    const who = await t.addPerson("Muitos Abertos");
    const theirs = tusOf(t, who);
    const answers = await Promise.all(Array.from({ length: 24 }, () => theirs.create(10)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(20);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(4);
    const [first] = refused;
    expect(first && (await problemOf(first)).code).toBe("upload.too_many_open");
    expect(first?.headers.get("retry-after")).not.toBeNull();
  });
});

describe("someone else's upload", () => {
  test("does not exist, whatever is asked of it", async () => {
    const url = await tus.begin(10);
    const theirs = tusOf(t, await t.addPerson("Outra Pessoa"));
    for (const answer of [
      await theirs.head(url),
      await theirs.patch(url, 0, new Uint8Array(1)),
      await theirs.end(url),
    ])
      expect(answer.status).toBe(404);
    expect((await t.call("GET", url)).status).toBe(401);
    expect((await t.call("GET", "/api/uploads/not-an-id", { as: person })).status).toBe(404);
    expect(await offsetOf(url)).toBe("0");
    await tus.end(url);
  });
});

describe("numbers that lie", () => {
  test("are refused, and change nothing", async () => {
    const zip = sampleZip({ study: "106" });
    const url = await tus.begin(zip.length);
    const lies: [Record<string, string>, number][] = [
      [{ "upload-offset": String(2 ** 53) }, 400],
      [{ "upload-offset": "9".repeat(400) }, 400],
      [{ "upload-offset": "-1" }, 400],
      [{ "upload-offset": "0x0" }, 400],
      [{ "upload-offset": "1e3" }, 400],
      [{ "upload-offset": String(2 ** 53 - 1) }, 409],
      [{ "content-length": String(2 ** 53 - 1) }, 413],
      [{ "content-length": String(zip.length + 1) }, 413],
      [{ "upload-checksum": "sha256 AAAA" }, 400],
      [{ "upload-checksum": "md5 1B2M2Y8AsgTpgAmY7PhCfg==" }, 400],
      [{ "upload-checksum": `sha256 ${"A".repeat(9000)}` }, 400],
    ];
    for (const [headers, status] of lies)
      expect([headers, (await tus.patch(url, 0, zip, headers)).status]).toEqual([headers, status]);
    for (const length of ["-5", "1.5", "", "0x10", "+1"])
      expect([length, (await tus.create(1, { "upload-length": length })).status]).toEqual([length, 400]);
    for (const length of [String(2 ** 53), "99999999999999999999", "9".repeat(400)]) {
      const answer = await tus.create(1, { "upload-length": length });
      expect([length, answer.status]).toEqual([length, 413]);
      expect(await problemOf(answer)).toMatchObject({ code: "upload.too_large" });
    }
    expect(await offsetOf(url)).toBe("0");
    await tus.end(url);
    expect(await arriving()).toEqual([]);
  });
});

describe("an access token", () => {
  const programOf = async (scopes: string[]) => {
    const made = await t.call("POST", "/api/tokens", { as: person, json: { name: "Script", scopes } });
    return tusOf(t, { ...person, ...((await made.json()) as { token: string }) });
  };

  test("sends uploads if it may call the API, and no other one does", async () => {
    const zip = sampleZip({ study: "105" });
    const program = await programOf(["api"]);
    const reader = await programOf(["dicomweb:read", "dicomweb:write"]);
    const url = await program.begin(zip.length);
    for (const answer of [
      await reader.create(zip.length),
      await reader.patch(url, 0, zip),
      await reader.head(url),
      await reader.end(url),
    ])
      expect(answer.status).toBe(403);
    expect((await program.head(url)).headers.get("upload-offset")).toBe("0");
    expect((await program.patch(url, 0, zip)).status).toBe(204);
    expect((await program.outcome(url)).state).toBe("done");
    expect((await program.end(url)).status).toBe(204);
  });
});

describe("an upload that nobody goes on with", () => {
  test("ends seven days after its last byte, with its bytes and its reservation", async () => {
    const who = await t.addPerson("Desiste");
    const theirs = tusOf(t, who);
    const url = await theirs.begin(10);
    t.advance(6 * DAY);
    expect((await (await signedIn(who)).patch(url, 0, new Uint8Array(1))).status).toBe(204);
    t.advance(6 * DAY);
    const later = await signedIn(who);
    expect((await later.head(url)).headers.get("upload-offset")).toBe("1");
    t.advance(DAY + 1000);
    const expired = await signedIn(who);
    expect((await expired.head(url)).status).toBe(404);
    expect((await expired.patch(url, 1, new Uint8Array(1))).status).toBe(404);
    await sweepResumables(t.deps, new AbortController().signal);
    expect(existsSync(pathOf(url))).toBe(false);
    t.advance(3600_000 + 1000);
    await sweepResumables(t.deps, new AbortController().signal);
    expect(await t.sql`select 1 from resumable_uploads where account_id = ${who.id}`).toHaveLength(0);
    person = await again(person);
    tus = tusOf(t, person);
  });
});

test("an upload to an account that is deleted ends at once, and its bytes and what it told are removed", async () => {
  const admin = await t.addPerson("Administra", { role: "admin", plan: null });
  const who = await t.addPerson("Sai no Meio");
  const url = await tusOf(t, who).begin(10);
  expect((await tusOf(t, who).patch(url, 0, new Uint8Array(1))).status).toBe(204);
  expect(existsSync(pathOf(url))).toBe(true);
  expect((await t.call("DELETE", `/api/users/${who.id}`, { as: admin })).status).toBe(200);
  await until(() => !existsSync(pathOf(url)));
  const rows = await t.sql`select state, filename from resumable_uploads where account_id = ${who.id}`;
  expect([...rows]).toEqual([{ state: "ended", filename: "" }]);
});

describe("bytes that are gone", () => {
  test("are asked for again: the offset goes back to what is there", async () => {
    const zip = sampleZip({ study: "120" });
    const url = await tus.begin(zip.length);
    await tus.patch(url, 0, zip.subarray(0, 500));
    truncateSync(pathOf(url), 200);
    expect((await tus.patch(url, 500, zip.subarray(500))).status).toBe(409);
    expect(await offsetOf(url)).toBe("200");
    await rm(pathOf(url));
    expect(await offsetOf(url)).toBe("0");
    expect((await tus.patch(url, 0, zip)).status).toBe(204);
    expect((await tus.outcome(url)).state).toBe("done");
    await t.settle();
    expect(existsSync(pathOf(url))).toBe(false);
  });
});

describe("a commit that fails after the volume was made of the very bytes that arrived", () => {
  test("is made again from those bytes as they came", async () => {
    const instances = ["1", "2", "3"].map((sop) => sampleInstance({ study: "130", sop }));
    const entries = instances.map((bytes, i) => [
      `PACIENTE/EXAMES/CT/IM${String(i).padStart(10, "0")}`,
      bytes,
    ]);
    const zip = zipSync(Object.fromEntries(entries), { level: 0 });
    const url = await tus.begin(zip.length);
    const id = url.split("/").at(-1) ?? "";
    await t.sql.unsafe(`create function refuse() returns trigger language plpgsql as $$ begin
        if new.state = 'done' then raise exception 'the first commit fails'; end if; return new; end $$;
      create trigger refuse before update on resumable_uploads for each row execute function refuse()`);
    await tus.patch(url, 0, zip);
    const undo = join(t.deps.config.dataDir, "arriving", id, "undo");
    const waiting = () => t.sql`select 1 from pgboss.job where name = 'uploads.finish' and state = 'retry'`;
    await until(async () => (await waiting()).length > 0);
    expect(existsSync(undo)).toBe(true);
    await t.sql.unsafe("drop trigger refuse on resumable_uploads; drop function refuse");
    const { result } = await tus.outcome(url);
    expect(result).toMatchObject({ instancesReceived: 3, studies: [{ imagesReceived: 3, duplicates: 0 }] });
    await t.settle();
    const download = await t.call("GET", `/api/studies/${result?.studies[0]?.id}/download`, { as: person });
    const stored = Object.values(unzipSync(new Uint8Array(await download.arrayBuffer())));
    expect(stored.map((bytes) => Bun.SHA256.hash(bytes, "hex")).sort()).toEqual(
      instances.map((bytes) => Bun.SHA256.hash(bytes, "hex") as string).sort(),
    );
  });
});
