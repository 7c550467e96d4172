import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { zipSync } from "fflate";
import { compactVerify, createLocalJWKSet, type JSONWebKeySet } from "jose";
import { makeReceipt, placeInstances } from "../../../src/server/features/receipts/make-receipt.ts";
import { receiptOfStudy } from "../../../src/server/features/receipts/read-receipt.ts";
import { createReceiptKeys } from "../../../src/server/features/receipts/receipt-keys.ts";
import { receiptOfDelivered } from "../../../src/server/features/receipts/receipt-of-delivered.ts";
import { receiptOf as payloadOf } from "../../../src/server/features/receipts/receipt-payload.ts";
import { studyNotFound } from "../../../src/server/features/studies/studies.errors.ts";
import { findVisibleStudies } from "../../../src/server/features/studies/studies.repo.ts";
import { createSeal } from "../../../src/server/runtime/seal.ts";
import type { GivenReceipt, SignedReceipt } from "../../../src/shared/api/receipts.ts";
import { restingObjects, sampleKinds } from "../../support/app/damaged-study.ts";
import { createTestApp, type Person, problemOf, type TestApp } from "../../support/app/test-app.ts";
import { programFile } from "../../support/program/program-file.ts";
import { resultOf, runProgram } from "../../support/program/run-program.ts";
import { sha256 } from "../../support/program/stored-bytes.ts";
import { createTempFolder } from "../../support/temp-folder.ts";
import { sampleInstance, sampleZip } from "../../support/zip/sample-zip.ts";

let t: TestApp;
let owner: Person;
let stranger: Person;
let studies = 100;

beforeAll(async () => {
  t = await createTestApp();
  owner = await t.addPerson("Dona do Recibo", { plan: "clinica" });
  stranger = await t.addPerson("Curioso");
});
afterAll(() => t[Symbol.asyncDispose]());

async function storeNew(count = 2): Promise<string> {
  const study = `${++studies}`;
  const instances = Array.from({ length: count }, (_, i) => ({
    study,
    sop: `${i + 1}`,
    instanceNumber: i + 1,
  }));
  const { studies: stored } = await t.store(owner, sampleZip(...instances));
  return stored[0]?.id ?? "";
}

const ask = (id: string, options: { as?: Person; query?: string; accept?: string } = {}) =>
  t.call("GET", `/api/studies/${id}/receipt${options.query ?? ""}`, {
    as: options.as ?? owner,
    ...(options.accept && { headers: { accept: options.accept } }),
  });

async function receiptOf(id: string): Promise<SignedReceipt> {
  const answer = await ask(id);
  expect(answer.status).toBe(200);
  return (await answer.json()) as SignedReceipt;
}

async function keySet(): Promise<JSONWebKeySet> {
  return (await (await t.call("GET", "/.well-known/jwks.json")).json()) as JSONWebKeySet;
}

async function verify(jws: string): Promise<unknown> {
  const { payload } = await compactVerify(jws, createLocalJWKSet(await keySet()));
  return JSON.parse(new TextDecoder().decode(payload));
}

async function manifestIdsOf(id: string): Promise<string[]> {
  const rows = await t.sql<{ id: string }[]>`
    select id from stored_objects where study_id = ${id} and kind = 'manifest' order by id`;
  return rows.map((row) => row.id);
}

/** Gives a study further series, whose manifests have no files; returns the ids of these. */
async function addSeries(id: string, count: number): Promise<string[]> {
  const copies = Array.from({ length: count }, () => Bun.randomUUIDv7());
  const [manifest = ""] = await manifestIdsOf(id);
  await t.sql`
    insert into stored_objects (id, study_id, upload_id, kind, key, size_bytes, sha256, location, created_at)
    select copy, study_id, upload_id, kind, upload_id || '/' || copy || '.manifest', size_bytes, sha256, location,
      created_at
    from stored_objects, unnest(${copies}::uuid[]) as copy where stored_objects.id = ${manifest}`;
  await t.sql`
    insert into series (id, study_id, series_instance_uid, instance_count, manifest_id)
    select gen_random_uuid(), ${id}, '2.25.' || copy, 1, copy
    from unnest(${copies}::uuid[]) as copy`;
  return copies;
}

/**
 * Files of thousands of manifests would take a minute to store, so the real one stands for all, each time with another instance.
 * `meanwhile` runs once it was read, which is first since it is the oldest.
 */
function withoutFiles(meanwhile = async () => {}) {
  const { series } = t.deps;
  let real: { id: string; manifest: Awaited<ReturnType<typeof series.manifest>> } | undefined;
  const manifest: typeof series.manifest = async (object) => {
    real ??= { id: object.id, manifest: await series.manifest(object) };
    if (object.id === real.id) await meanwhile();
    const [instance] = real.manifest.instances;
    if (!instance) throw new Error("the manifest has no instance");
    return { ...real.manifest, instances: [{ ...instance, sopInstanceUID: object.id }] };
  };
  return { ...t.deps, series: { ...series, manifest } };
}

describe("a receipt", () => {
  test("is made of all series of a study, of more than 10,000 too, and of the same by name as those given before", async () => {
    const id = await storeNew(1);
    const copies = await addSeries(id, 10_001);
    const { placed, madeOf } = await placeInstances(withoutFiles(), { id });
    const uids = [...placed.values()].flat().map(({ sopInstanceUID }) => sopInstanceUID);
    expect(new Set(uids).size).toBe(copies.length + 1);
    const names = uids.sort().join();
    expect(madeOf).toBe(new Bun.CryptoHasher("sha256").update(names).digest("hex"));
  });

  test("names each series once while the study changes, and comes later if that goes on", async () => {
    const id = await storeNew(1);
    const copies = await addSeries(id, 10_001);
    let changes = 1;
    const change = async () => {
      if (changes-- <= 0) return;
      const [later] = await addSeries(id, 1);
      const [first] = copies.splice(0, 1, later ?? "");
      await t.sql`delete from series where manifest_id = ${later ?? ""}`;
      await t.sql`update series set manifest_id = ${later ?? ""} where manifest_id = ${first ?? ""}`;
    };
    const { placed } = await placeInstances(withoutFiles(change), { id });
    const [real] = await manifestIdsOf(id);
    const uids = [...placed.values()].flat().map(({ sopInstanceUID }) => sopInstanceUID);
    expect(uids.sort()).toEqual([real ?? "", ...copies].sort());
    changes = Number.POSITIVE_INFINITY;
    const code = await placeInstances(withoutFiles(change), { id }).catch(({ kind }) => kind.code);
    expect(code).toBe("receipt.not_ready");
  });

  test("names every instance by the SHA-256 of the bytes that were sent, however the ZIP and the archive hold them", async () => {
    const kinds = sampleKinds();
    const zip = zipSync({
      ...Object.fromEntries(
        Object.entries(kinds).map(([name, bytes]) => [name, [bytes, { level: 6 }] as const]),
      ),
      stored: [kinds.stored ?? new Uint8Array(), { level: 0 }],
    });
    const { studies: stored } = await t.store(owner, zip);
    const { receipt, jws } = await receiptOf(stored[0]?.id ?? "");
    const sent = Object.values(kinds).map((bytes) => ({ sha256: sha256(bytes), sizeBytes: bytes.length }));
    expect(receipt.instances.map(({ sopInstanceUID: _, ...rest }) => rest).toSorted(bySum)).toEqual(
      sent.toSorted(bySum),
    );
    expect(receipt).toMatchObject({ version: 1, studyInstanceUID: "2.25.1.1" });
    const lines = receipt.instances.map((instance) => `${instance.sopInstanceUID} ${instance.sha256}\n`);
    expect(lines).toEqual(lines.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))));
    expect(receipt.root).toBe(sha256(Buffer.from(lines.join(""))));
    expect(await verify(jws)).toEqual(receipt);
  });

  test("says when the study was received, whenever it is asked for, and stays the same", async () => {
    const id = await storeNew();
    const [row] = await t.sql<{ created_at: string }[]>`select created_at from studies where id = ${id}`;
    t.advance(3_600_000);
    const first = await receiptOf(id);
    expect(first.receipt.receivedAt).toBe(new Date(row?.created_at ?? 0).toISOString());
    t.advance(3_600_000);
    const renamed = await t.call("PATCH", `/api/studies/${id}`, {
      as: owner,
      json: { description: "Outro nome" },
    });
    expect(renamed.status).toBe(200);
    await t.settle();
    expect(await receiptOf(id)).toEqual(first);
  });

  test("says when the last of the study was received, and not when that was sent again to heal it", async () => {
    const study = `${++studies}`;
    const [first, second] = ["1", "2"].map((sop) => sampleZip({ study, sop }));
    const { studies: stored } = await t.store(owner, first ?? new Uint8Array());
    const id = stored[0]?.id ?? "";
    t.advance(3_600_000);
    const receivedAt = t.deps.clock.now().getTime();
    await t.store(owner, second ?? new Uint8Array());
    for (const [at, sent] of [first, second].entries()) {
      const volume = (await restingObjects(t, id)).filter(({ kind }) => kind === "volume")[at];
      volume?.flip(volume.bytes.length - 30);
      await t.sql`update studies set integrity = 'damaged' where id = ${id}`;
      t.advance(3_600_000);
      await t.store(owner, sent ?? new Uint8Array());
      const { receipt } = await receiptOf(id);
      expect(Math.abs(new Date(receipt.receivedAt).getTime() - receivedAt)).toBeLessThan(60_000);
      await t.sql`delete from receipts where study_id = ${id}`;
    }
  });

  test("is a new one once instances are added, and the old one is still there by its root", async () => {
    const study = `${++studies}`;
    const { studies: stored } = await t.store(owner, sampleZip({ study, sop: "1" }));
    const id = stored[0]?.id ?? "";
    const first = await receiptOf(id);
    t.advance(60_000);
    await t.store(owner, sampleZip({ study, sop: "1" }, { study, sop: "2" }));
    const second = await receiptOf(id);
    expect(second.receipt.instances).toHaveLength(2);
    expect(second.receipt.receivedAt > first.receipt.receivedAt).toBe(true);
    expect(await (await ask(id, { query: `?root=${first.receipt.root}` })).json()).toEqual(first);
    expect((await ask(id, { query: `?root=${"0".repeat(64)}` })).status).toBe(404);
    const given = (await (
      await t.call("GET", `/api/studies/${id}/receipts`, { as: owner })
    ).json()) as GivenReceipt[];
    expect(given.map(({ root, images }) => [root, images])).toEqual([
      [second.receipt.root, 2],
      [first.receipt.root, 1],
    ]);
  });

  test("names both of two different instances under one SOP Instance UID", async () => {
    const study = `${++studies}`;
    const { studies: stored } = await t.store(owner, sampleZip({ study, sop: "1" }));
    const id = stored[0]?.id ?? "";
    await receiptOf(id);
    await t.store(owner, sampleZip({ study, sop: "1", instanceNumber: 9 }));
    const sums = [1, 9].map((instanceNumber) => sha256(sampleInstance({ study, sop: "1", instanceNumber })));
    const { receipt } = await receiptOf(id);
    expect(receipt.instances.map((instance) => instance.sha256)).toEqual(sums.toSorted());
    // The next one is made of what this one says, which their UID does not tell apart.
    await t.store(owner, sampleZip({ study, sop: "2" }));
    const { instances } = (await receiptOf(id)).receipt;
    expect(instances.map((instance) => instance.sha256)).toEqual(expect.arrayContaining(sums));
    expect(instances).toHaveLength(3);
  });

  test("is kept among the newest 20 of its study, whatever other studies have", async () => {
    const [id, other] = [await storeNew(1), await storeNew(1)];
    const [{ receipt }, kept] = [await receiptOf(id), await receiptOf(other)];
    // Older than these; the rest of each is as the first says.
    await t.sql`insert into receipts
      select (jsonb_populate_record(r, jsonb_build_object('root', lpad(n::text, 64, '0'),
        'id', '00000000-0000-7000-8000-' || lpad(n::text, 12, '0')))).*
      from receipts r, generate_series(1, 20) n where study_id = ${id}`;
    await t.store(owner, sampleZip({ study: `${studies - 1}`, sop: "2" }));
    const { root } = (await receiptOf(id)).receipt;
    const given = await t.call("GET", `/api/studies/${id}/receipts`, { as: owner });
    const roots = ((await given.json()) as GivenReceipt[]).map((one) => one.root);
    expect(roots).toHaveLength(20);
    expect([roots[0], roots[1], roots.at(-1)]).toEqual([root, receipt.root, "3".padStart(64, "0")]);
    expect((await ask(other, { query: `?root=${kept.receipt.root}` })).status).toBe(200);
    // A root opens the receipt of its own study alone.
    expect((await ask(id, { query: `?root=${kept.receipt.root}` })).status).toBe(404);
  });

  test("is for whoever may see the study, and to everybody else there is none", async () => {
    const id = await storeNew(1);
    expect((await ask(id, { as: stranger })).status).toBe(404);
    expect((await t.call("GET", `/api/studies/${id}/receipts`, { as: stranger })).status).toBe(404);
    expect((await t.call("GET", `/api/studies/${id}/receipt`)).status).toBe(401);
    const granted = await t.call("POST", `/api/studies/${id}/assign`, {
      as: owner,
      json: { userId: stranger.id },
    });
    expect(granted.status).toBe(200);
    expect((await ask(id, { as: stranger })).status).toBe(200);
    const [row] = await t.sql`select study_instance_uid from studies where id = ${id}`;
    expect((await ask(String(row?.study_instance_uid))).status).toBe(200);
  });

  test("is asked for many times at once and is one", async () => {
    const id = await storeNew(3);
    const answers = await Promise.all(Array.from({ length: 12 }, () => receiptOf(id)));
    expect(new Set(answers.map(({ jws }) => jws)).size).toBe(1);
  });

  test("that is being made is not that of images which were added meanwhile", async () => {
    const study = `${++studies}`;
    const { studies: stored } = await t.store(owner, sampleZip({ study, sop: "1" }));
    const id = stored[0]?.id ?? "";
    const [row] = await findVisibleStudies(t.deps.db, { userId: owner.id, role: "user" }, [id]);
    if (!row) throw new Error("the study is not there");
    const [placed, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const sign: typeof t.deps.receiptKeys.sign = async (payload) => {
      placed.resolve();
      await released.promise;
      return await t.deps.receiptKeys.sign(payload);
    };
    const first = receiptOfStudy({ ...t.deps, receiptKeys: { ...t.deps.receiptKeys, sign } }, row);
    await placed.promise;
    await t.store(owner, sampleZip({ study, sop: "2", instanceNumber: 2 }));
    const volumes = await t.sql<{ id: string }[]>`
      select id from stored_objects where study_id = ${id} and kind = 'volume' order by id`;
    const volumeIds = volumes.slice(1).map((volume) => volume.id);
    const brought = { from: "Clínica São João", receivedAt: t.deps.clock.now(), volumeIds, images: 1 };
    const asked = [receiptOfStudy(t.deps, row), receiptOfDelivered(t.deps, row, brought)] as const;
    // They have joined, or not.
    await t.sql`select pg_sleep(0.2)`;
    released.resolve();
    expect((await first).instanceCount).toBe(1);
    expect((await asked[0]).instanceCount).toBe(2);
    const { receipt, isOfWhole } = await asked[1];
    const { instances } = await payloadOf(receipt);
    expect([isOfWhole, instances.map(({ sopInstanceUID }) => sopInstanceUID.at(-1))]).toEqual([false, ["2"]]);
  });

  test("goes with its study", async () => {
    const id = await storeNew(1);
    await receiptOf(id);
    const [study] = await findVisibleStudies(t.deps.db, { userId: owner.id, role: "user" }, [id]);
    if (!study) throw new Error("the study is not there");
    expect((await t.call("DELETE", `/api/studies/${id}`, { as: owner })).status).toBe(200);
    expect(await t.sql`select id from receipts where study_id = ${id}`).toHaveLength(0);
    // As one that was being made meanwhile.
    const made = makeReceipt(t.deps, study, new AbortController().signal);
    await expect(made).rejects.toMatchObject({ kind: studyNotFound });
  });
});

function bySum(a: { sha256: string }, b: { sha256: string }): number {
  return a.sha256 < b.sha256 ? -1 : 1;
}

describe("damage", () => {
  test("of any byte of an instance gives no receipt, and marks the study", async () => {
    const id = await storeNew(2);
    const volume = (await restingObjects(t, id)).find(({ kind }) => kind === "volume");
    volume?.flip(Math.floor((volume.bytes.length ?? 0) / 3));
    const answer = await ask(id);
    expect(answer.status).toBe(500);
    expect((await problemOf(answer)).code).toBe("archive.damaged");
    const [row] = await t.sql`select integrity from studies where id = ${id}`;
    expect(row?.integrity).toBe("damaged");
    expect(await t.sql`select id from receipts where study_id = ${id}`).toHaveLength(0);
  });

  test("that agrees with the checksums of its pieces is found by the SHA-256 of the volume", async () => {
    const id = await storeNew(2);
    await t.sql`update stored_objects set sha256 = ${"0".repeat(64)} where study_id = ${id} and kind = 'volume'`;
    expect((await problemOf(await ask(id))).code).toBe("archive.damaged");
  });

  test("that was found after a receipt was given is told instead of it", async () => {
    const id = await storeNew(1);
    await receiptOf(id);
    await t.sql`update studies set integrity = 'damaged' where id = ${id}`;
    expect((await problemOf(await ask(id))).code).toBe("archive.damaged");
  });
});

describe("the keys", () => {
  test("are public, say nothing private, and lie in DATA_DIR for nobody else to read", async () => {
    await receiptOf(await storeNew(1));
    const answer = await t.call("GET", "/.well-known/jwks.json");
    expect(answer.headers.get("content-type")).toContain("application/json");
    const { keys } = (await answer.json()) as JSONWebKeySet;
    expect(Object.keys(keys[0] ?? {}).sort()).toEqual(["alg", "crv", "kid", "kty", "use", "x"]);
    const path = join(t.deps.config.dataDir, "receipt-key");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const [row] = await t.sql`select sealed_private_key from receipt_keys`;
    const { d } = JSON.parse(readFileSync(path, "utf8")) as { d: string };
    expect(String(row?.sealed_private_key)).not.toContain(d);
  });

  test("of a rotation sign what comes next, and what was signed before still verifies", async () => {
    const id = await storeNew(1);
    const before = await receiptOf(id);
    const { databaseUrl = "", authSecret = "", dataDir } = t.deps.config;
    const env = { DATABASE_URL: databaseUrl, AUTH_SECRET: authSecret, DATA_DIR: dataDir };
    const { code, output } = await runProgram(env, "receipt-key", "rotate");
    expect(code).toBe(0);
    const [, kid] = /signed with ([\w-]{43}) now/.exec(output) ?? [];
    expect(await receiptOf(id)).toEqual(before);
    expect(await verify(before.jws)).toEqual(before.receipt);
    const after = await receiptOf(await storeNew(1));
    expect(await verify(after.jws)).toEqual(after.receipt);
    expect(JSON.parse(Buffer.from(after.jws.split(".")[0] ?? "", "base64url").toString())).toEqual({
      alg: "EdDSA",
      kid,
    });
    expect((await keySet()).keys).toHaveLength(2);
  });

  test("are one for all nodes, also when two make their first receipt at the same moment", async () => {
    await using other = createTempFolder();
    await t.sql`delete from receipt_keys`;
    const { db, clock, log } = t.deps;
    const seal = createSeal(t.deps.config.authSecret ?? "", "receipts");
    const nodes = ["a", "b"].map((name) =>
      createReceiptKeys({ db, clock, log, seal, path: join(other.path, name) }),
    );
    const kids = await Promise.all(nodes.map(async (keys) => (await keys.published()).map(({ kid }) => kid)));
    expect(kids[0]).toEqual(kids[1] ?? []);
    expect(kids[0]).toHaveLength(1);
  });

  test("outlive a lost database and a new AUTH_SECRET by the copy in DATA_DIR", async () => {
    await using folder = createTempFolder();
    const { db, clock, log } = t.deps;
    const path = join(folder.path, "receipt-key");
    const withSecret = (secret: string) =>
      createReceiptKeys({ db, clock, log, path, seal: createSeal(secret, "x") });
    await t.sql`delete from receipt_keys`;
    const [first] = await withSecret("one").published();
    await t.sql`delete from receipt_keys`;
    expect((await withSecret("one").published()).map(({ kid }) => kid)).toEqual([first?.kid ?? ""]);
    expect((await withSecret("two").published()).map(({ kid }) => kid)).toEqual([first?.kid ?? ""]);
  });

  test("are copied to DATA_DIR again after a while if its disk took no copy", async () => {
    await using folder = createTempFolder();
    const path = join(folder.path, "disk", "receipt-key");
    const { db, clock } = t.deps;
    const keys = createReceiptKeys({
      ...{ db, clock, path, seal: createSeal("one", "x"), copyAgainMs: 0 },
      log: { warn: () => {} },
    });
    const [first] = (await keys.published()).slice(-1);
    mkdirSync(join(folder.path, "disk"));
    await keys.published();
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ kid: first?.kid });
  });

  test("keep the copy in DATA_DIR on a full disk", async () => {
    const { databaseUrl = "", authSecret = "" } = t.deps.config;
    await using folder = createTempFolder();
    const env = { DATABASE_URL: databaseUrl, AUTH_SECRET: authSecret, DATA_DIR: folder.path };
    const path = join(folder.path, "receipt-key");
    expect((await runProgram(env, "receipt-key", "rotate")).code).toBe(0);
    const copy = readFileSync(path, "utf8");
    const program = Bun.spawn(
      // No file can be written to: the signal that tells so is ignored, so that each write fails.
      [
        "sh",
        "-c",
        `trap "" XFSZ; ulimit -f 0; exec "$@"`,
        "sh",
        process.execPath,
        programFile(),
        "receipt-key",
        "rotate",
      ],
      { env, stdio: ["ignore", "pipe", "pipe"] },
    );
    const { code, complaint } = await resultOf(program);
    expect([code, readFileSync(path, "utf8"), readdirSync(folder.path)]).toEqual([0, copy, ["receipt-key"]]);
    expect(complaint).toContain("receipt_key.not_copied");
  });

  test("that were replaced sign no more, though a node still has the copy of one when AUTH_SECRET changes", async () => {
    await using folder = createTempFolder();
    const { db, clock, log } = t.deps;
    const keysOf = (node: string, secret: string) =>
      createReceiptKeys({ db, clock, log, path: join(folder.path, node), seal: createSeal(secret, "x") });
    await t.sql`delete from receipt_keys`;
    const [replaced] = await keysOf("one", "old").published();
    await keysOf("two", "old").rotate();
    expect(await keysOf("one", "new").published()).toHaveLength(3);
    const [signing] = await t.sql`select kid from receipt_keys where retired_at is null`;
    expect(signing?.kid).not.toBe(replaced?.kid);
  });

  test("verify a receipt in another language, as the documentation shows", async () => {
    if (!Bun.which("python3") || !Bun.which("openssl")) return;
    await using folder = createTempFolder();
    const { jws } = await receiptOf(await storeNew(1));
    const example = /```python\n([\s\S]+?)```/.exec(await Bun.file("docs/receipts.md").text())?.[1] ?? "";
    expect(example.trim().split("\n").length).toBeLessThanOrEqual(11);
    const run = async (signed: string) => {
      const files = {
        "verify.py": example,
        "receipt.json": JSON.stringify({ jws: signed }),
        "jwks.json": JSON.stringify(await keySet()),
      };
      for (const [name, text] of Object.entries(files)) await Bun.write(join(folder.path, name), text);
      return Bun.spawnSync(["python3", "verify.py", "receipt.json", "jwks.json"], { cwd: folder.path })
        .exitCode;
    };
    expect(await run(jws)).toBe(0);
    const [header, payload = "", signature] = jws.split(".");
    const changed = Buffer.from(payload, "base64url");
    changed[changed.length - 3] = 0x30;
    expect(await run([header, changed.toString("base64url"), signature].join("."))).not.toBe(0);
  });
});
