import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import { tellOfLowDisks } from "../../../src/server/features/monitoring/tell-of-low-disks.ts";
import { beat } from "../../../src/server/nodes/beat.ts";
import { createDiskRoom } from "../../../src/server/storage/disk/disk-room.ts";
import { diskStateOf, uploadFloorOf } from "../../../src/server/storage/disk/disk-space.ts";
import type { Operations } from "../../../src/shared/api/operations.ts";
import { createTestApp, type Person, problemOf, type TestApp } from "../../support/app/test-app.ts";
import { readOutbox } from "../../support/mail/outbox.ts";
import { filesBelow } from "../../support/program/stored-bytes.ts";
import { sampleZip } from "../../support/zip/sample-zip.ts";
import { attachReport, sendLabExam } from "../removals/filled-account.ts";

const GIB = 1024 ** 3;
const MIB = 1024 ** 2;

let t: TestApp;
let admin: Person;
let person: Person;
const space = { freeBytes: 0, sizeBytes: 0 };
let isReadOnly = false;

beforeAll(async () => {
  const disk = createDiskRoom({
    spareBytes: 256 * MIB,
    readSpace: async () => ({ ...space }),
    assertWritable: async () => {
      if (isReadOnly) throw Object.assign(new Error("read-only"), { code: "EROFS" });
    },
  });
  space.freeBytes = space.sizeBytes = 500 * GIB;
  t = await createTestApp({ overrides: { disk } });
  admin = await t.addPerson("Alice Admin", { role: "admin" });
  person = await t.addPerson("Envia Exame");
});
afterAll(() => t[Symbol.asyncDispose]());
beforeEach(async () => {
  Object.assign(space, { freeBytes: 500 * GIB, sizeBytes: 500 * GIB });
  await t.sql`update nodes set disk_told_at = null`;
});

const mails = async () => {
  const rows = await t.sql`select id from pgboss.job where name = 'mail.send'`;
  return rows.length;
};

/** What this node's next beat tells, and the job that looks at it. */
async function watch(): Promise<number> {
  const before = await mails();
  await beat(t.deps);
  await tellOfLowDisks(t.deps);
  return (await mails()) - before;
}

test("uploads leave 2 GB free, or a tenth of a small disk; below a tenth every disk is low", () => {
  expect(uploadFloorOf({ sizeBytes: 500 * GIB })).toBe(2 * GIB);
  expect(uploadFloorOf({ sizeBytes: 8 * GIB })).toBe(0.8 * GIB);
  const states = [51, 49, 2.1, 1.9].map((free) =>
    diskStateOf({ freeBytes: free * GIB, sizeBytes: 500 * GIB }),
  );
  expect(states).toEqual(["ok", "low", "low", "full"]);
  expect(diskStateOf({ freeBytes: 0.9 * GIB, sizeBytes: 8 * GIB })).toBe("ok");
  expect(diskStateOf({ freeBytes: 0.7 * GIB, sizeBytes: 8 * GIB })).toBe("full");
});

test("with less than 2 GB left, uploads are refused in the caller's language, and begin again once there is room", async () => {
  space.freeBytes = 1.9 * GIB;
  const refused = await t.upload(person, sampleZip({ study: "1" }));
  expect([refused.status, await problemOf(refused)]).toEqual([
    507,
    expect.objectContaining({
      code: "storage.full",
      message: "There is no space left for this upload. Nothing was stored.",
    }),
  ]);
  const form = new FormData();
  form.set("zipFile", new File([Uint8Array.from(sampleZip({ study: "1" }))], "exames.zip"));
  const request = new Request("http://localhost/", { method: "POST", body: form });
  const inPortuguese = await t.call("POST", "/api/upload-dicom", {
    as: person,
    body: await request.arrayBuffer(),
    headers: {
      "content-type": request.headers.get("content-type") ?? "",
      "accept-language": "pt-BR",
    },
  });
  expect((await problemOf(inPortuguese)).message).toBe("Não há espaço para este envio. Nada foi guardado.");
  expect(await (await t.call("GET", "/api/studies", { as: person })).json()).toEqual([]);
  space.freeBytes = 2.5 * GIB;
  expect((await t.upload(person, sampleZip({ study: "1" }))).status).toBe(201);
  await t.settle();
});

test("with less than 2 GB left, everything but uploads goes on", async () => {
  const { dataDir } = t.deps.config;
  const objects = () => [...filesBelow(join(dataDir, "objects"))].length;
  const before = objects();
  const stored = await t.store(person, sampleZip({ study: "2" }));
  const [study] = stored.studies;
  space.freeBytes = 1.9 * GIB;
  const signedIn = await t.call("POST", "/api/auth/login", {
    json: { email: person.email, password: person.password },
  });
  expect(signedIn.status).toBe(200);
  expect((await attachReport(t, person, study?.id ?? "")).status).toBe(201);
  expect((await sendLabExam(t, person)).status).toBe(201);
  const download = await t.call("GET", `/api/studies/${study?.id}/download`, { as: person });
  expect([download.status, (await download.arrayBuffer()).byteLength > 0]).toEqual([200, true]);
  expect((await t.call("DELETE", `/api/studies/${study?.id}`, { as: person })).status).toBe(200);
  const asked = await t.call("POST", "/api/auth/forgot-password", { json: { email: person.email } });
  expect(asked.status).toBe(200);
  await t.settle();
  // The laboratory PDF is left.
  expect(objects()).toBe(before + 1);
  expect((await readOutbox(dataDir)).map(({ to }) => to)).toContain(person.email);
});

test("health says that uploads are refused while the node stays ready for the rest", async () => {
  const health = async () => {
    // A node that has just started has no earlier outcome of its checks.
    await using again = await t.startAgain();
    const answer = await again.app.request("/api/health");
    return [answer.status, await answer.json()];
  };
  space.freeBytes = 1.9 * GIB;
  const ready = { status: "ok", database: true, store: true, disk: true };
  expect(await health()).toEqual([200, { ...ready, uploads: false }]);
  space.freeBytes = 2.1 * GIB;
  expect(await health()).toEqual([200, { ...ready, uploads: true }]);
});

test("the admin gets one mail about a disk that is low, and one more only after it had room", async () => {
  expect(await watch()).toBe(0);
  space.freeBytes = 49 * GIB;
  expect(await watch()).toBe(1);
  space.freeBytes = 1 * GIB;
  expect(await watch()).toBe(0);
  // It wavers around a tenth.
  space.freeBytes = 51 * GIB;
  expect(await watch()).toBe(0);
  space.freeBytes = 49 * GIB;
  expect(await watch()).toBe(0);
  space.freeBytes = 70 * GIB;
  expect(await watch()).toBe(0);
  space.freeBytes = 49 * GIB;
  expect(await watch()).toBe(1);
});

test("a disk below 2.5 GB is full with what uploads leave of it, and the admin is told once", async () => {
  Object.assign(space, { freeBytes: 200 * MIB, sizeBytes: 1000 * MIB });
  expect((await t.upload(person, sampleZip({ study: "9" }))).status).toBe(507);
  expect(await watch()).toBe(1);
  const operations = await t.call("GET", "/api/operations", { as: admin });
  const { nodes } = (await operations.json()) as Operations;
  expect(nodes[0]?.disk?.state).toBe("full");
  // More than a tenth was free all the time.
  expect([await watch(), await watch()]).toEqual([0, 0]);
  space.freeBytes = 400 * MIB;
  expect(await watch()).toBe(0);
  space.freeBytes = 200 * MIB;
  expect(await watch()).toBe(1);
});

test("two nodes that look at once send one mail", async () => {
  space.freeBytes = 49 * GIB;
  await beat(t.deps);
  const before = await mails();
  await Promise.all([tellOfLowDisks(t.deps), tellOfLowDisks(t.deps)]);
  expect((await mails()) - before).toBe(1);
});

test("the admin sees each node's disk as it told by its last beat", async () => {
  space.freeBytes = 20 * GIB;
  await beat(t.deps);
  const seen = async () =>
    ((await (await t.call("GET", "/api/operations", { as: admin })).json()) as Operations).nodes;
  const own = async () => (await seen()).find(({ isThis }) => isThis)?.disk;
  const other = async () => (await seen()).find(({ isThis }) => !isThis)?.disk;
  expect(await own()).toEqual({ state: "low", freeBytes: 20 * GIB, sizeBytes: 500 * GIB });
  space.freeBytes = GIB;
  await beat(t.deps);
  expect((await own())?.state).toBe("full");
  // The node that answers looks at its own, and of the others it knows what they told.
  isReadOnly = true;
  const readOnly = { state: "read_only", freeBytes: GIB, sizeBytes: 500 * GIB } as const;
  expect(await own()).toEqual(readOnly);
  await beat({ ...t.deps, node: { ...t.deps.node, id: "another", bootId: Bun.randomUUIDv7() } });
  isReadOnly = false;
  expect((await own())?.state).toBe("full");
  expect(await other()).toEqual(readOnly);
  await t.sql`update nodes set disk_takes_bytes = null where id = 'another'`;
  expect((await other())?.state).toBe("full");
});
