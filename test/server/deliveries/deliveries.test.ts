import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { forgetOldRequests } from "../../../src/server/features/deliveries/deliveries.jobs.ts";
import { createDeliveryGate } from "../../../src/server/features/deliveries/delivery-gate.ts";
import { describeAccount } from "../../../src/server/features/export/describe-account.ts";
import type { SettledUpload } from "../../../src/server/features/ingest/finished-upload.ts";
import { accessOf } from "../../../src/server/http/guard.ts";
import { DatabaseClock } from "../../../src/server/nodes/database-clock.ts";
import type { CreatedRequest, NewRequest, Request } from "../../../src/shared/api/deliveries.ts";
import type { NotificationList } from "../../../src/shared/api/notifications.ts";
import type { Receipt, SignedReceipt } from "../../../src/shared/api/receipts.ts";
import type { Study } from "../../../src/shared/api/studies.ts";
import type { AuditEntry } from "../../../src/shared/api/study-audit.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { DAY_MS } from "../../../src/shared/units.ts";
import { restingObjects } from "../../support/app/damaged-study.ts";
import { limitStorage } from "../../support/app/storage-quota.ts";
import { createTestApp, type Person, problemOf, type TestApp } from "../../support/app/test-app.ts";
import { tusOf } from "../../support/app/tus.ts";
import { readOutbox } from "../../support/mail/outbox.ts";
import { readPdf } from "../../support/pdf/read-pdf.ts";
import { sampleInstance, sampleZip, studyUID } from "../../support/zip/sample-zip.ts";

const MIB = 1024 * 1024;

let t: TestApp;
let owner: Person;
let other: Person;
let lastStudy = 0;

beforeAll(async () => {
  t = await createTestApp({ env: { TRUST_PROXY: "127.0.0.1" } });
  owner = await t.addPerson("Marina Souza Gonçalves", { plan: "profissional" });
  other = await t.addPerson("Outra Pessoa");
}, 240_000);
afterAll(() => t[Symbol.asyncDispose]());
beforeEach(async () => {
  await t.sql`delete from throttles`;
  await t.sql`delete from delivery_requests`;
  await t.sql`update users set is_authorized = true`;
  await t.sql`update subscriptions set status = 'active', expires_at = null`;
});

type Made = CreatedRequest & { secret: string };

async function ask(request: Partial<NewRequest> = {}, as = owner): Promise<Made> {
  const answer = await t.call("POST", "/api/requests", {
    as,
    json: { label: "Clínica São João", ...request },
  });
  expect(answer.status).toBe(201);
  const made = (await answer.json()) as CreatedRequest;
  return { ...made, secret: new URL(made.url).hash.slice(1) };
}

function knock({ id, secret }: { id: string; secret: string }, headers: Record<string, string> = {}) {
  const json = { request: id, secret, from: "Clínica São João" };
  return t.call("POST", "/api/deliveries", { json, headers });
}

/** Somebody at a clinic, who has no account. */
async function begin(made: { id: string; secret: string }): Promise<Person> {
  const answer = await knock(made);
  expect(answer.status).toBe(201);
  const { token } = (await answer.json()) as { token: string };
  return { id: "", email: "", password: "", token };
}

/** Sends a study that the account does not have, or `zip`; returns the upload's address and outcome. */
async function deliver(clinic: Person, zip: Uint8Array = newZip()) {
  const tus = tusOf(t, clinic);
  const url = await tus.begin(zip.length);
  expect((await tus.patch(url, 0, zip)).status).toBe(204);
  const outcome = await tus.outcome(url);
  return { url, outcome, id: outcome.result?.studies[0]?.id ?? "" };
}

function newZip(): Uint8Array {
  return zipOf(String(++lastStudy), 1);
}

function zipOf(study: string, instances: number): Uint8Array {
  return sampleZip(...Array.from({ length: instances }, (_, i) => ({ study, sop: String(i + 1) })));
}

async function studyOf(id: string, as = owner): Promise<Study> {
  return (await (await t.call("GET", `/api/studies/${id}`, { as })).json()) as Study;
}

async function requests(as = owner): Promise<Request[]> {
  return (await (await t.call("GET", "/api/requests", { as })).json()) as Request[];
}

describe("a request for exams", () => {
  test("lets a clinic without an account deliver, and tells the owner what came from whom", async () => {
    const made = await ask();
    expect(made.url).toBe(`${t.deps.config.publicUrl}/r/${made.id}#${made.secret}`);
    const opened = await t.call("POST", "/api/requests/open", {
      json: { request: made.id, secret: made.secret },
    });
    expect(await opened.json()).toEqual({
      label: "Clínica São João",
      shownName: "Marina G.",
      expiresAt: made.expiresAt,
    });
    const clinic = await begin(made);
    const { id, outcome, url } = await deliver(clinic);
    expect(outcome.state).toBe("done");
    expect((await studyOf(id)).receivedFrom).toBe("Clínica São João");
    const [request] = await requests();
    expect(request).toMatchObject({ id: made.id, state: "received", used: 1, uses: 1, percent: null });
    expect(request?.deliveries).toMatchObject([{ from: "Clínica São João", studyIds: [id] }]);

    await t.settle();
    const mails = await readOutbox(t.deps.config.dataDir);
    expect(mails.filter(({ to }) => to.includes(owner.email)).map(({ subject }) => subject)).toContain(
      "An exam was delivered to you",
    );
    const told = (await (await t.call("GET", "/api/notifications", { as: owner })).json()) as {
      notifications: { event: string; study: { id: string } | null; details: object }[];
    };
    expect(told.notifications[0]).toMatchObject({
      event: "delivery.received",
      study: { id },
      details: { from: "Clínica São João" },
    });
    const uploads = async () => {
      const audit = await t.call("GET", `/api/studies/${id}/audit`, { as: owner });
      return ((await audit.json()) as AuditEntry[]).filter(({ action }) => action === "study.uploaded");
    };
    const delivered = { actorName: null, isDelivery: true, from: "Clínica São João" };
    expect(await uploads()).toMatchObject([delivered]);
    // An older release's event of a delivery to an exam that was there already, and one of an account that was deleted.
    const actors = [null, Bun.randomUUIDv7()];
    for (const actor of actors)
      await t.sql`insert into audit_events (at, action, actor_id, account_id, study_id)
        values (now(), 'study.uploaded', ${actor}, ${owner.id}, ${id})`;
    const known = { actorName: null, from: null };
    expect(await uploads()).toMatchObject([
      { ...known, isDelivery: false },
      { ...known, isDelivery: true },
      delivered,
    ]);
    // The clinic's own list has its upload, and the owner's list does not.
    expect(await (await t.call("GET", "/api/uploads", { as: clinic })).json()).toHaveLength(1);
    expect(await (await t.call("GET", "/api/uploads", { as: owner })).json()).toHaveLength(0);
    expect((await t.call("GET", url, { as: owner })).status).toBe(404);
  });

  test("tells the owner of one delivery once, however many parts it comes in", async () => {
    const mailed = async () => {
      await t.settle();
      const mails = await readOutbox(t.deps.config.dataDir);
      return mails.filter(({ to, subject }) => to.includes(owner.email) && /delivered/.test(subject)).length;
    };
    const told = async () => {
      const answer = await t.call("GET", "/api/notifications", { as: owner });
      const { notifications } = (await answer.json()) as NotificationList;
      return notifications.filter(({ event }) => event === "delivery.received");
    };
    const [mailsBefore, toldBefore] = [await mailed(), (await told()).length];
    const clinic = await begin(await ask());
    const first = await deliver(clinic);
    const study = String(lastStudy);
    const [notice] = await told();
    expect(notice?.details).toEqual({ from: "Clínica São João" });
    await t.call("POST", "/api/notifications/read", { as: owner, json: {} });
    // More of the same exam, and another one.
    await deliver(clinic, zipOf(study, 2));
    await deliver(clinic);
    expect(await mailed()).toBe(mailsBefore + 1);
    const after = await told();
    expect(after).toHaveLength(toldBefore + 1);
    expect(after[0]).toMatchObject({
      readAt: null,
      study: { id: first.id },
      details: { from: "Clínica São João", exams: 2 },
    });
  });

  test("gives the clinic a receipt that is the owner's too, as JSON and on paper", async () => {
    const clinic = await begin(await ask());
    const { url, id, outcome } = await deliver(clinic);
    const receipt = async (path: string, as: Person) =>
      (await (await t.call("GET", `${path}/receipt`, { as })).json()) as SignedReceipt;
    const given = await receipt(url, clinic);
    expect(given.receipt).toMatchObject({
      studyInstanceUID: outcome.result?.studyInstanceUID,
      from: "Clínica São João",
    });
    expect(given).toEqual(await receipt(`/api/studies/${id}`, owner));
    const paper = await t.call("GET", `${url}/receipt`, {
      as: clinic,
      headers: { accept: "application/pdf" },
    });
    expect(paper.headers.get("content-type")).toBe("application/pdf");
    // Another clinic, and the owner, can't name this upload.
    const second = await begin(await ask());
    for (const as of [second, owner])
      expect((await t.call("GET", `${url}/receipt`, { as })).status).toBe(404);
  });

  test("gives the clinic one paper of all exams, each with its signed receipt and a QR code that can be shown", async () => {
    const clinic = await begin(await ask());
    const [one, other] = [String(++lastStudy), String(++lastStudy)];
    const several = sampleZip(
      { study: one, sop: "1" },
      { study: other, sop: "2" },
      { study: other, sop: "3" },
    );
    const { url, outcome } = await deliver(clinic, several);
    const paper = await t.call("GET", `${url}/receipt`, {
      as: clinic,
      headers: { accept: "application/pdf", "accept-language": "pt-BR" },
    });
    const { pages, attachments } = await readPdf(new Uint8Array(await paper.arrayBuffer()));
    const text = pages.flat().join(" ");
    expect(text).toContain("Entregue por Clínica São João Entregue a Marina G.");
    const ids = (outcome.result?.studies ?? []).map(({ id }) => id);
    expect(ids).toHaveLength(2);
    const papers: string[] = [];
    for (const id of ids) {
      const of = (accept: string) =>
        t.call("GET", `${url}/receipt?study=${id}`, { as: clinic, headers: { accept } });
      const { receipt, jws } = (await (await of("application/json")).json()) as SignedReceipt;
      expect(text.replaceAll(" ", "")).toContain(receipt.root);
      papers.push(jws);
      const qrCode = await of("image/svg+xml");
      expect(qrCode.headers.get("content-type")).toBe("image/svg+xml");
      expect(await qrCode.text()).toStartWith("<svg ");
    }
    expect(attachments.map(({ content }) => Buffer.from(content).toString())).toEqual(papers);
  });

  test("gives the clinic one paper of several uploads, with an exam that they share on it once", async () => {
    const clinic = await begin(await ask());
    const [one, other] = [String(++lastStudy), String(++lastStudy)];
    const first = await deliver(clinic, sampleZip({ study: one, sop: "1" }));
    const second = await deliver(clinic, sampleZip({ study: one, sop: "2" }, { study: other, sop: "3" }));
    const paperOf = (also: string) =>
      t.call("GET", `${first.url}/receipt?also=${also}`, {
        as: clinic,
        headers: { accept: "application/pdf" },
      });
    const paper = await paperOf(second.url.split("/").at(-1) ?? "");
    const { attachments } = await readPdf(new Uint8Array(await paper.arrayBuffer()));
    const signed = attachments.map(({ content }) => {
      const [, payload = ""] = Buffer.from(content).toString().split(".");
      return JSON.parse(Buffer.from(payload, "base64url").toString()) as Receipt;
    });
    expect(signed.map(({ instances }) => instances.length)).toEqual([2, 1]);
    // An upload of somebody else's is not there.
    const stranger = await begin(await ask());
    const theirs = await deliver(stranger);
    expect((await paperOf(theirs.url.split("/").at(-1) ?? "")).status).toBe(404);
  });

  test("shows the clinic nothing of what the owner already had of the study", async () => {
    const study = String(++lastStudy);
    const mine = zipOf(study, 3);
    await t.store(owner, mine);
    const clinic = await begin(await ask());
    const { url } = await deliver(clinic, zipOf(study, 1));
    expect((await t.call("GET", `${url}/receipt`, { as: clinic })).status).toBe(404);
    expect((await requests())[0]?.deliveries[0]?.studyIds).toEqual([]);
    // Whoever sends all of it has a receipt of their own.
    const whole = await begin(await ask({ label: "Hospital" }));
    const again = await deliver(whole, mine);
    const { receipt } = (await (
      await t.call("GET", `${again.url}/receipt`, { as: whole })
    ).json()) as SignedReceipt;
    expect(receipt.instances).toHaveLength(3);
    expect(receipt.from).toBe("Clínica São João");
    const [row] =
      await t.sql`select received_from from studies where study_instance_uid = ${studyUID(study)}`;
    expect(row?.received_from).toBeNull();
  });

  test("shows the clinic what the images say, and not what the owner has written over it", async () => {
    const study = String(++lastStudy);
    await t.store(owner, sampleZip({ study, sop: "9" }), {
      patientName: "Mamãe",
      description: "Retorno em maio",
    });
    const clinic = await begin(await ask());
    const { url } = await deliver(clinic, zipOf(study, 1));
    const headers = { accept: "application/pdf", "accept-language": "pt-BR" };
    const paper = await t.call("GET", `${url}/receipt`, { as: clinic, headers });
    const { pages } = await readPdf(new Uint8Array(await paper.arrayBuffer()));
    const text = JSON.stringify(pages);
    expect(text).toContain("João Conceição");
    expect(text).not.toMatch(/Mamãe|Retorno/);
  });

  test("shows the clinic what its own images say of the patient and the exam, and not what those of others do", async () => {
    const study = String(++lastStudy);
    const saying = (sop: string, name: string, description: string) => ({
      study,
      sop,
      elements: {
        [TagHex.PatientName]: { vr: "PN", Value: [{ Alphabetic: name }] },
        [TagHex.StudyDescription]: { vr: "LO", Value: [description] },
      },
    });
    await t.store(owner, sampleZip(saying("8", "Segredo^Nome", "Oncologia")));
    const clinic = await begin(await ask());
    const { url } = await deliver(clinic, sampleZip(saying("9", "Nome^Da Clinica", "Retorno")));
    const headers = { accept: "application/pdf", "accept-language": "pt-BR" };
    const paper = await t.call("GET", `${url}/receipt`, { as: clinic, headers });
    const text = JSON.stringify((await readPdf(new Uint8Array(await paper.arrayBuffer()))).pages);
    expect(text).toMatch(/Da Clinica Nome/);
    expect(text).toContain("Retorno");
    expect(text).not.toMatch(/Segredo|Oncologia/);
  });

  test("shows the clinic nothing of an image that it has in another form of the same size", async () => {
    const study = String(++lastStudy);
    await t.store(owner, zipOf(study, 1));
    const clinic = await begin(await ask());
    const pixels = { [TagHex.PixelData]: { vr: "OW", bytes: new Uint8Array(8).fill(9) } };
    const [same, added] = [
      { study, elements: pixels },
      { study, sop: "2" },
    ];
    const { url } = await deliver(clinic, sampleZip(same, added));
    const answer = await t.call("GET", `${url}/receipt`, { as: clinic });
    const { receipt } = (await answer.json()) as SignedReceipt;
    const shown = receipt.instances.map(({ sha256 }) => sha256);
    expect(shown).toEqual([new Bun.CryptoHasher("sha256").update(sampleInstance(added)).digest("hex")]);
  });

  test("shows the clinic what it brought under the number of an image of another size", async () => {
    const study = String(++lastStudy);
    await t.store(owner, zipOf(study, 2));
    const clinic = await begin(await ask());
    const longer = {
      study,
      elements: { [TagHex.PixelData]: { vr: "OW", bytes: new Uint8Array(64).fill(9) } },
    };
    const { url } = await deliver(clinic, sampleZip(longer));
    const answer = await t.call("GET", `${url}/receipt`, { as: clinic });
    const { receipt } = (await answer.json()) as SignedReceipt;
    const shown = receipt.instances.map(({ sha256 }) => sha256);
    expect(shown).toEqual([new Bun.CryptoHasher("sha256").update(sampleInstance(longer)).digest("hex")]);
  });

  test("shows the clinic nothing of what the owner has beside an image that was damaged and that it brought again", async () => {
    const study = String(++lastStudy);
    const { studies } = await t.store(owner, zipOf(study, 3));
    const id = studies[0]?.id ?? "";
    const [volume] = (await restingObjects(t, id)).filter(({ kind }) => kind === "volume");
    volume?.flip(volume.bytes.length - 30);
    const download = () => t.call("GET", `/api/studies/${id}/download`, { as: owner });
    await (await download()).arrayBuffer();
    expect((await studyOf(id)).integrity).toBe("damaged");
    const clinic = await begin(await ask());
    const { url } = await deliver(clinic, zipOf(study, 1));
    await t.store(owner, zipOf(study, 2));
    expect((await studyOf(id)).integrity).toBe("ok");
    const answer = await t.call("GET", `${url}/receipt`, { as: clinic });
    const { receipt } = (await answer.json()) as SignedReceipt;
    const own = new Bun.CryptoHasher("sha256").update(sampleInstance({ study, sop: "1" })).digest("hex");
    expect(receipt.instances.map(({ sha256 }) => sha256)).toEqual([own]);
  });

  test("gives the clinic its receipt after the owner healed what it brought, and nothing of what they added", async () => {
    const study = String(++lastStudy);
    await t.store(owner, sampleZip({ study, sop: "9" }));
    const clinic = await begin(await ask());
    const { url } = await deliver(clinic, zipOf(study, 2));
    await t.settle();
    const receiptNow = async () =>
      (await (await t.call("GET", `${url}/receipt`, { as: clinic })).json()) as SignedReceipt;
    const before = await receiptNow();
    expect(before.receipt.instances).toHaveLength(2);
    const [row] = await t.sql`select id from studies where study_instance_uid = ${studyUID(study)}`;
    const id = String(row?.id);
    for (const sent of [zipOf(study, 3), sampleZip({ study }, { study, sop: "2" }, { study, sop: "4" })]) {
      const volumes = (await restingObjects(t, id)).filter(({ kind }) => kind === "volume");
      const newest = volumes.sort((one, other) => (one.id < other.id ? 1 : -1))[0];
      newest?.flip(newest.bytes.length - 30);
      await (await t.call("GET", `/api/studies/${id}/download`, { as: owner })).arrayBuffer();
      expect((await studyOf(id)).integrity).toBe("damaged");
      await t.store(owner, sent);
      await t.settle();
      expect((await studyOf(id)).integrity).toBe("ok");
      expect(await receiptNow()).toMatchObject({
        receipt: {
          instances: before.receipt.instances,
          root: before.receipt.root,
          from: before.receipt.from,
        },
      });
    }
  });

  test("gives the clinic its receipt though an older release healed what it brought, and nothing of what was added", async () => {
    const study = String(++lastStudy);
    const clinic = await begin(await ask());
    const { url, id } = await deliver(clinic, zipOf(study, 2));
    await deliver(clinic, sampleZip({ study, sop: "3" }));
    const receiptNow = async () => {
      const answer = await t.call("GET", `${url}/receipt`, { as: clinic });
      if (answer.status !== 200) return answer.status;
      const { from, root, instances } = ((await answer.json()) as SignedReceipt).receipt;
      return { from, root, instances };
    };
    const before = await receiptNow();
    expect(before).toMatchObject({ from: "Clínica São João", instances: { length: 3 } });
    // That release left no trace of the volumes that it replaced.
    const gone = Bun.randomUUIDv7();
    await t.sql`update deliveries set volume_ids = array[${gone}::uuid] where study_ids = array[${id}::uuid]`;
    expect(await receiptNow()).toEqual(before);
    await t.store(owner, sampleZip({ study, sop: "4" }));
    expect(await receiptNow()).toBe(404);
    await t.sql`update receipts set volume_ids = array[${gone}::uuid] where study_id = ${id} and instance_count = 3`;
    expect(await receiptNow()).toEqual(before);
  });

  test("shows the clinic no more however often it sends the same instance, or names the same upload", async () => {
    const study = String(++lastStudy);
    await t.store(owner, zipOf(study, 3));
    const clinic = await begin(await ask());
    const known = { study, sop: "1" };
    const first = await deliver(clinic, sampleZip(known, known, known));
    const second = await deliver(clinic, sampleZip(known, known));
    const third = await deliver(clinic, sampleZip(known));
    const alone = await t.call("GET", `${first.url}/receipt`, { as: clinic });
    expect([alone.status, (await problemOf(alone)).code]).toEqual([404, "receipt.not_found"]);
    const [id = "", ...others] = [first, second, third].map(({ url }) => url.split("/").at(-1) ?? "");
    for (const also of [others.join(), id.toUpperCase(), Array(3).fill(id.toUpperCase()).join()]) {
      const path = `${first.url}/receipt?also=${also}`;
      const paper = await t.call("GET", path, { as: clinic, headers: { accept: "application/pdf" } });
      expect([paper.status, also]).toEqual([404, also]);
    }
  });

  test("lets no form of the clinic rename what the owner keeps", async () => {
    const study = String(++lastStudy);
    const kept = (await t.store(owner, zipOf(study, 1))).studies[0]?.id ?? "";
    const before = await studyOf(kept);
    const clinic = await begin(await ask());
    const tus = tusOf(t, clinic);
    const zip = zipOf(study, 4);
    const form = JSON.stringify({ studyInstanceUID: studyUID(study), patientName: "Outro^Nome" });
    const url = await tus.begin(zip.length, { "upload-metadata": `formData ${btoa(form)}` });
    await tus.patch(url, 0, zip);
    expect((await tus.outcome(url)).state).toBe("done");
    expect((await studyOf(kept)).patientName).toBe(before.patientName);
  });

  test("may be deleted by its owner without an action for 7 days", async () => {
    const clinic = await begin(await ask({ uses: 2 }));
    const [first, second] = [(await deliver(clinic)).id, (await deliver(clinic)).id];
    const deletions = async () =>
      (
        await t.sql`select count(*)::int as n from usage_events where user_id = ${owner.id}
        and action_type = 'delete'`
      )[0]?.n as number;
    const before = await deletions();
    expect((await t.call("DELETE", `/api/studies/${first}`, { as: owner })).status).toBe(200);
    expect(await deletions()).toBe(before);
    await t.sql`update studies set created_at = created_at - interval '7 days' where id = ${second}`;
    expect((await t.call("DELETE", `/api/studies/${second}`, { as: owner })).status).toBe(200);
    expect(await deletions()).toBe(before + 1);
    // The clinic keeps its token, but there is nothing to read any more.
    expect((await requests())[0]?.deliveries[0]?.studyIds).toEqual([]);
  });

  test("refuses an end that is past or beyond 30 days, a name of two lines and more than 20 uses", async () => {
    const bad = [
      { expiresAt: new Date(Date.now() - 1000).toISOString() },
      { expiresAt: new Date(Date.now() + 31 * DAY_MS).toISOString() },
      { label: "a\nb" },
      { label: "" },
      { uses: 21 },
      { uses: 0 },
    ];
    for (const request of bad) {
      const json = { label: "Clínica", ...request };
      expect((await t.call("POST", "/api/requests", { as: owner, json })).status).toBe(400);
    }
  });

  test("is one of at most a hundred open ones, also when asked at once", async () => {
    const json = { label: "Clínica" };
    const one = () => t.call("POST", "/api/requests", { as: other, json });
    const statuses: number[] = [];
    for (let batch = 0; batch < 4; batch++)
      statuses.push(...(await Promise.all(Array.from({ length: 26 }, one))).map(({ status }) => status));
    expect(statuses.filter((status) => status === 201)).toHaveLength(100);
    expect(statuses.filter((status) => status === 409)).toHaveLength(4);
  });

  test("that is over gives way to newer ones beyond 500 of its account; one that is open stays", async () => {
    const [oldest, foreign] = [await ask(), await ask({}, other)];
    await t.call("DELETE", `/api/requests/${foreign.id}`, { as: other });
    await t.sql`insert into delivery_requests
        (id, account_id, secret_hash, label, shown_name, uses, created_at, expires_at)
      select ('ffffffff-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, ${owner.id}, 'x' || n, 'Clínica', 'M', 1,
        now(), now() - interval '1 day'
      from generate_series(1, 503) n`;
    const made = await ask();
    const over = await t.sql<{ hash: string }[]>`
      select secret_hash as hash from delivery_requests where account_id = ${owner.id} and expires_at < now()`;
    const hashes = over.map(({ hash }) => hash);
    expect([hashes.length, hashes.includes("x3"), hashes.includes("x4")]).toEqual([500, false, true]);
    const left = await t.sql`
      select 1 from delivery_requests where id in (${oldest.id}, ${foreign.id}, ${made.id})`;
    expect(left).toHaveLength(3);
    // The owner can end only what they see.
    const answer = await t.call("GET", "/api/requests", { as: owner });
    const listed = ((await answer.json()) as Request[]).map(({ id }) => id);
    expect(listed).toEqual([...listed].sort().reverse());
    expect(listed).toEqual(expect.arrayContaining([oldest.id, made.id]));
  });

  test("begins no further delivery beside 60, and forgets those that only began, but for the newest 20", async () => {
    const made = await ask({ uses: 20 });
    const add = (uploads: number, first: number, last: number) =>
      t.sql`insert into deliveries (id, request_id, token_hash, sender, uploads, created_at)
        select ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, ${made.id}, 'x' || n, 'Clínica',
          ${uploads}, now()
        from generate_series(${first}::int, ${last}::int) n`;
    const count = async () => {
      const [row] = await t.sql`select count(*) filter (where uploads > 0)::int as sent,
        count(*) filter (where uploads = 0)::int as idle from deliveries where request_id = ${made.id}`;
      return row;
    };
    await add(1, 1, 40);
    await add(0, 101, 125);
    expect((await knock(made)).status).toBe(201);
    expect(await count()).toEqual({ sent: 40, idle: 20 });
    await add(1, 41, 41);
    const refused = await knock(made);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "600"]);
    expect(await count()).toMatchObject({ sent: 41 });
  });
});

describe("whoever guesses", () => {
  test("reads one and the same answer for every request that does not open", async () => {
    const good = await ask();
    const ended = await ask();
    await t.call("DELETE", `/api/requests/${ended.id}`, { as: owner });
    const used = await ask();
    await deliver(await begin(used));
    const expired = await ask();
    await t.sql`update delivery_requests set expires_at = now() - interval '1 second' where id = ${expired.id}`;
    const foreign = await ask({}, other);
    await t.sql`update users set is_authorized = false where id = ${other.id}`;
    const unknown = { id: Bun.randomUUIDv7(), secret: good.secret };
    const wrong = { id: good.id, secret: `${good.secret.slice(0, -1)}_` };
    const swapped = { id: ended.id, secret: good.secret };
    const answers = new Set<string>();
    for (const made of [ended, used, expired, foreign, unknown, wrong, swapped, { id: "x", secret: "" }]) {
      for (const path of ["/api/deliveries", "/api/requests/open"]) {
        const json = { request: made.id, secret: made.secret, from: "Clínica" };
        const answer = await t.call("POST", path, { json });
        const { requestId: _, ...body } = await problemOf(answer);
        answers.add(`${answer.status} ${JSON.stringify(body)}`);
      }
    }
    expect([...answers]).toHaveLength(1);
    expect([...answers][0]).toStartWith("404");
    await t.sql`update subscriptions set expires_at = now() - interval '1 day' where user_id = ${owner.id}`;
    expect((await knock(good)).status).toBe(404);
  });

  test("waits after a hundred failures from one network, and nobody else does", async () => {
    const made = await ask();
    const bad = { id: made.id, secret: "wrong" };
    const from = (address: string) => ({ "x-forwarded-for": address });
    for (let tries = 0; tries < 100; tries++)
      expect((await knock(bad, from("2001:db8::1"))).status).toBe(404);
    expect((await knock(made, from("2001:db8::2"))).status).toBe(429);
    expect((await knock(made, from("2001:db8:0:1::2"))).status).toBe(201);
  });

  test("fills no account's audit: a request begins a hundred deliveries an hour, whoever has its address", async () => {
    const made = await ask();
    for (let begun = 0; begun < 100; begun++) expect((await knock(made)).status).toBe(201);
    expect((await knock(made)).status).toBe(429);
    const [row] = await t.sql`select count(*)::int as rows from audit_events
      where action = 'delivery.begun' and details->>'requestId' = ${made.id}`;
    expect(row?.rows).toBe(100);
    expect((await knock(await ask())).status).toBe(201);
  });

  test("finds no secret and no token in the database", async () => {
    const made = await ask();
    const { token } = await begin(made);
    const rows = await t.sql`select r::text || d::text as text from delivery_requests r, deliveries d`;
    expect(JSON.stringify(rows)).not.toContain(made.secret);
    expect(JSON.stringify(rows)).not.toContain(token.slice(4));
  });
});

describe("a delivery's token", () => {
  test("opens uploads and no other route", async () => {
    const clinic = await begin(await ask());
    const routes = t.app.routes.flatMap(({ method, path, handler }) => {
      const access = accessOf(handler);
      return access === undefined || access === "public" ? [] : [{ method, path }];
    });
    const opened = new Set<string>();
    for (const { method, path } of routes) {
      const concrete = path.replace(/:[A-Za-z]+(\{.*\})?/g, "01890000-0000-7000-8000-000000000000");
      const answer = await t.call(method, concrete, { as: clinic, ...(method !== "GET" && { json: {} }) });
      if (answer.status === 401 || answer.status === 403) continue;
      opened.add(`${method} ${path}`);
    }
    expect([...opened].sort()).toEqual([
      "DELETE /api/uploads/:upload",
      "GET /api/uploads",
      "GET /api/uploads/:upload",
      "GET /api/uploads/:upload/receipt",
      "PATCH /api/uploads/:upload",
      "POST /api/uploads",
      "POST /api/uploads/:upload",
    ]);
  });

  test("sees no upload but its own", async () => {
    const made = await ask({ uses: 2 });
    const [first, second] = [await begin(made), await begin(made)];
    const zip = newZip();
    const url = await tusOf(t, first).begin(zip.length);
    const stranger = tusOf(t, second);
    for (const answer of [
      await stranger.head(url),
      await stranger.patch(url, 0, zip),
      await stranger.end(url),
      await t.call("GET", url, { as: second }),
      await t.call("GET", `${url}/receipt`, { as: second }),
    ])
      expect(answer.status).toBe(404);
    expect((await tusOf(t, first).head(url)).status).toBe(200);
    const listed = async (as: Person) =>
      (await (await t.call("GET", "/api/uploads", { as })).json()) as object[];
    expect([(await listed(first)).length, (await listed(second)).length]).toEqual([1, 0]);
  });

  test("may add to what it brought for a day, and reads it until a week after its request expired", async () => {
    const made = await ask();
    const clinic = await begin(made);
    await deliver(clinic);
    const back = (hours: number) =>
      t.sql`update deliveries set received_at = now() - make_interval(hours => ${hours})`;
    await back(23);
    expect((await tusOf(t, clinic).create(100)).status).toBe(201);
    await back(25);
    expect((await problemOf(await tusOf(t, clinic).create(100))).code).toBe("request.not_found");
    const statusAfter = async (days: number) => {
      await t.sql`update delivery_requests set expires_at = now() - make_interval(days => ${days})`;
      return (await t.call("GET", "/api/uploads", { as: clinic })).status;
    };
    expect([await statusAfter(6), await statusAfter(8)]).toEqual([200, 401]);
  });

  test("goes on after a reload, and also after its request expired", async () => {
    const made = await ask();
    const clinic = await begin(made);
    const tus = tusOf(t, clinic);
    const zip = newZip();
    const url = await tus.begin(zip.length);
    await tus.patch(url, 0, zip.subarray(0, 100));
    expect((await requests())[0]).toMatchObject({ state: "sending" });
    await t.sql`update delivery_requests set expires_at = now() - interval '1 hour' where id = ${made.id}`;
    expect((await tus.head(url)).headers.get("upload-offset")).toBe("100");
    expect((await tus.create(zip.length)).status).toBe(404);
    await tus.patch(url, 100, zip.subarray(100));
    expect((await tus.outcome(url)).state).toBe("done");
  });

  test("ends with its request, whose half-sent bytes go too", async () => {
    const made = await ask();
    const clinic = await begin(made);
    const tus = tusOf(t, clinic);
    const zip = newZip();
    const url = await tus.begin(zip.length);
    await tus.patch(url, 0, zip.subarray(0, 100));
    expect((await t.call("DELETE", `/api/requests/${made.id}`, { as: other })).status).toBe(404);
    expect((await t.call("DELETE", `/api/requests/${made.id}`, { as: owner })).status).toBe(204);
    expect((await t.call("DELETE", `/api/requests/${made.id}`, { as: owner })).status).toBe(204);
    expect((await tus.patch(url, 100, zip.subarray(100))).status).toBe(401);
    const [row] =
      await t.sql`select state, received_from from resumable_uploads where id = ${url.split("/").at(-1) ?? ""}`;
    expect(row).toEqual({ state: "ended", received_from: null });
  });

  test("adds nothing once its request was ended, and opens nothing while its owner may receive nothing", async () => {
    const made = await ask({ uses: 2 });
    const clinic = await begin(made);
    await deliver(clinic);
    const reads = async () => (await t.call("GET", "/api/uploads", { as: clinic })).status;
    await t.sql`update subscriptions set expires_at = now() - interval '1 day' where user_id = ${owner.id}`;
    expect(await reads()).toBe(401);
    await t.sql`update subscriptions set expires_at = null where user_id = ${owner.id}`;
    await t.sql`update users set is_authorized = false where id = ${owner.id}`;
    expect(await reads()).toBe(401);
    await t.sql`update users set is_authorized = true where id = ${owner.id}`;
    await t.call("DELETE", `/api/requests/${made.id}`, { as: owner });
    // Whoever delivered something reads its receipt.
    expect(await reads()).toBe(200);
    expect((await problemOf(await tusOf(t, clinic).create(100))).code).toBe("request.not_found");
  });

  test("may send 50 uploads and no more", async () => {
    const clinic = await begin(await ask());
    await t.sql`update deliveries set uploads = 49`;
    const tus = tusOf(t, clinic);
    expect((await tus.create(100)).status).toBe(201);
    expect((await problemOf(await tus.create(100))).code).toBe("delivery.full");
  });

  test("leaves the owner's own uploads their places", async () => {
    const clinic = await begin(await ask());
    const theirs = tusOf(t, clinic);
    for (let opened = 0; opened < 20; opened++) await theirs.begin(100);
    expect((await theirs.create(100)).status).toBe(429);
    const mine = tusOf(t, owner);
    expect((await mine.end(await mine.begin(100))).status).toBe(204);
  });

  test("leaves the owner and other clinics the plan's room until it sends what it announces", async () => {
    const small = await t.addPerson("Plano Pequeno");
    await limitStorage(t, small, 10 * MIB);
    const made = await ask({ uses: 2 }, small);
    const [one, two] = [tusOf(t, await begin(made)), tusOf(t, await begin(made))];
    const url = await one.begin(9 * MIB);
    expect((await one.create(2 * MIB)).status).toBe(403);
    const [mine, others] = [tusOf(t, small), tusOf(t, await begin(made))];
    await mine.end(await mine.begin(9 * MIB));
    expect((await t.upload(small, new Uint8Array(4 * MIB))).status).not.toBe(403);
    await two.end(await two.begin(9 * MIB));
    expect((await one.patch(url, 0, new Uint8Array(5 * MIB))).status).toBe(204);
    for (const who of [mine, others]) expect((await who.create(6 * MIB)).status).toBe(403);
  });
});

describe("two deliveries at once by a request for one", () => {
  test("bring one, and the other is told that the request is over", async () => {
    const made = await ask();
    const clinics = [await begin(made), await begin(made)];
    const sent = await Promise.all(clinics.map((clinic) => deliver(clinic)));
    expect(sent.map(({ outcome }) => outcome.state).sort()).toEqual(["done", "failed"]);
    const failed = sent.find(({ outcome }) => outcome.state === "failed");
    expect(failed?.outcome.problem?.code).toBe("request.not_found");
    expect((await requests())[0]).toMatchObject({ used: 1, deliveries: expect.any(Array) });
    expect((await knock(made)).status).toBe(404);
  });
});

test("what is whole is not taken in once its request was ended, or its owner may receive nothing", async () => {
  const made = await ask();
  await begin(made);
  const [delivery] = await t.sql`select id from deliveries`;
  const nothing = { studies: [], newStudyIds: [], built: { studies: [] } } as unknown as SettledUpload;
  // A transaction is undone, so that the next one finds the request unused.
  const settle = () =>
    t.deps.db
      .transaction(async (tx) => {
        await createDeliveryGate(t.deps).settle(tx, String(delivery?.id), nothing);
        throw new Error("settled");
      })
      .catch((error) => error.message as string);
  expect(await settle()).toBe("settled");
  await t.sql`update subscriptions set expires_at = now() - interval '1 day' where user_id = ${owner.id}`;
  expect(await settle()).toBe("request.not_found");
  await t.sql`update subscriptions set expires_at = null where user_id = ${owner.id}`;
  await t.sql`update users set is_authorized = false where id = ${owner.id}`;
  expect(await settle()).toBe("request.not_found");
  await t.sql`update users set is_authorized = true where id = ${owner.id}`;
  await t.sql`update delivery_requests set ended_at = now()`;
  expect(await settle()).toBe("request.not_found");
});

describe("an account without room", () => {
  test("refuses in words that tell nothing of its plan", async () => {
    const small = await t.addPerson("Pessoa Pequena", { plan: "avaliacao" });
    await t.store(small, newZip());
    const made = await ask({ uses: 3 }, small);
    const clinic = await begin(made);
    const both = await begin(made);
    expect((await deliver(clinic)).outcome.state).toBe("done");
    const refused = await tusOf(t, both).create(1000);
    expect(refused.status).toBe(403);
    const text = await refused.text();
    expect(text).toContain("has no room");
    expect(text).not.toMatch(/trial|storageBytes|\b2 exams/);
    await t.sql`update subscriptions set exam_count = 0 where user_id = ${small.id}`;
    const tooBig = await tusOf(t, both).create(t.deps.config.maxUploadBytes);
    expect(await tooBig.text()).not.toContain("GB");
  });
});

describe("an account that is deleted in the middle", () => {
  test("ends the delivery, and keeps nothing of it", async () => {
    const gone = await t.addPerson("Quem Vai");
    const clinic = await begin(await ask({}, gone));
    await deliver(await begin(await ask({}, gone)));
    const tus = tusOf(t, clinic);
    const zip = newZip();
    const url = await tus.begin(zip.length);
    await tus.patch(url, 0, zip.subarray(0, 50));
    const json = { password: gone.password, confirmation: "EXCLUIR" };
    const admin = await t.addPerson("Administradora", { role: "admin" });
    expect((await t.call("DELETE", `/api/users/${gone.id}`, { as: admin, json })).status).toBeLessThan(300);
    expect((await tus.patch(url, 50, zip.subarray(50))).status).toBe(401);
    const left =
      await t.sql`select account_id from deliveries join delivery_requests requests on requests.id = request_id
      where account_id = ${gone.id}`;
    expect([...left]).toEqual([]);
    const told = await t.sql`select details from audit_events
      where account_id = ${gone.id} and action = 'study.uploaded'`;
    expect(told.map(({ details }) => details)).toEqual([null]);
  });
});

describe("what is kept", () => {
  test("of requests is in the export, and goes 90 days after they end", async () => {
    const made = await ask();
    await deliver(await begin(made));
    const exported = JSON.stringify(await describeAccount(t.deps, owner.id));
    expect(exported).toContain("Clínica São João");
    expect(exported).not.toContain(made.secret);
    await t.call("DELETE", `/api/requests/${made.id}`, { as: owner });
    const days = (count: number) => ({
      ...t.deps,
      databaseClock: new DatabaseClock({ now: () => new Date(Date.now() + count * DAY_MS) }),
    });
    await forgetOldRequests(days(89));
    expect(await requests()).toHaveLength(1);
    await forgetOldRequests(days(91));
    expect(await requests()).toHaveLength(0);
  });
});
