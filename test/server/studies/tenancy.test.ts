import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { findLiveSession, findSession } from "../../../src/server/features/membership/find-session.ts";
import { recordOpening, recordReading } from "../../../src/server/features/studies/access/record-opening.ts";
import { findVisibleStudies } from "../../../src/server/features/studies/studies.repo.ts";
import type { Study, ViewerToken } from "../../../src/shared/api/studies.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { createTestApp, type Person, problemOf, type TestApp } from "../../support/app/test-app.ts";
import { untilLockWaits } from "../../support/until.ts";
import { sampleZip, studyUID } from "../../support/zip/sample-zip.ts";

let t: TestApp;
let owner: Person;
let stranger: Person;
let studyId: string;
const uid = studyUID("10");
const seriesUID = "2.25.2.10.1";
const sopUID = "2.25.3.10.1.1";

beforeAll(async () => {
  t = await createTestApp();
  owner = await t.addPerson("Dona Helena");
  stranger = await t.addPerson("Outro Cliente");
  const answer = await t.store(
    owner,
    sampleZip({ study: "10" }, { study: "10", sop: "2", instanceNumber: 2 }),
  );
  studyId = answer.studies[0]?.id ?? "";
});
afterAll(() => t[Symbol.asyncDispose]());

async function listOf(person: Person): Promise<Study[]> {
  return (await (await t.call("GET", "/api/studies", { as: person })).json()) as Study[];
}

function tokenData(person: Person, id: string): string {
  return Buffer.from(JSON.stringify([{ userId: person.id, id }])).toString("base64");
}

async function viewerToken(person: Person, id = studyId): Promise<ViewerToken> {
  const answer = await t.call("GET", `/generate-token?data=${tokenData(person, id)}`, { as: person });
  expect(answer.status).toBe(200);
  return (await answer.json()) as ViewerToken;
}

const framePath = `/studies/${uid}/series/${seriesUID}/instances/${sopUID}/frames/1`;

test("an address that is longer than a UID names no study", async () => {
  const longest = `2.25.${"1".repeat(59)}`;
  const elements = { [TagHex.StudyInstanceUID]: { vr: "UI", Value: [longest] } };
  const person = await t.addPerson("Dona de um UID longo");
  await t.store(person, sampleZip({ elements }));
  const statusOf = async (reference: string) =>
    (await t.call("GET", `/api/studies/${reference}/status`, { as: person })).status;
  expect([await statusOf(longest), await statusOf(`${longest}0`)]).toEqual([200, 404]);
});

describe("someone else's study", () => {
  const calls: [method: string, path: (reference: string) => string, json?: unknown][] = [
    ["GET", (study) => `/api/studies/${study}/series`],
    ["GET", (study) => `/api/studies/${study}/status`],
    ["GET", (study) => `/api/studies/${study}/download`],
    ["HEAD", (study) => `/api/studies/${study}/download`],
    ["POST", (study) => `/api/studies/${study}/download-ticket`],
    ["POST", (study) => `/api/studies/${study}/retry-transfer`],
    ["GET", (study) => `/api/studies/${study}/grants`],
    ["POST", (study) => `/api/studies/${study}/assign`, { userId: "SELF" }],
    ["DELETE", (study) => `/api/studies/${study}`],
  ];

  for (const [method, path, json] of calls) {
    test(`is not found by ${method} ${path(":study")}, by id or by UID`, async () => {
      for (const reference of [studyId, uid]) {
        const body = json && { userId: stranger.id };
        const answer = await t.call(method, path(reference), { as: stranger, json: body });
        expect(answer.status).toBe(404);
        if (method !== "HEAD") expect((await problemOf(answer)).code).toBe("study.not_found");
      }
    });
  }

  test("is in no list but its owner's", async () => {
    expect((await listOf(owner)).map((study) => study.id)).toContain(studyId);
    expect(await listOf(stranger)).toEqual([]);
  });

  test("gives no viewer token, and nobody gets one in another's name", async () => {
    const own = await t.call("GET", `/generate-token?data=${tokenData(stranger, studyId)}`, { as: stranger });
    expect(own.status).toBe(404);
    const forged = await t.call("GET", `/generate-token?data=${tokenData(owner, studyId)}`, { as: stranger });
    expect(forged.status).toBe(404);
  });

  test("stays whole when a stranger tries to delete it", async () => {
    await t.call("DELETE", `/api/studies/${studyId}`, { as: stranger });
    expect((await listOf(owner)).map((study) => study.id)).toContain(studyId);
  });
});

describe("a visitor", () => {
  test("gets 401 from every study call", async () => {
    for (const path of [
      "/api/studies",
      `/api/studies/${studyId}/series`,
      `/api/studies/${studyId}/download`,
    ]) {
      expect((await t.call("GET", path)).status).toBe(401);
    }
    expect((await t.call("DELETE", `/api/studies/${studyId}`)).status).toBe(401);
    expect((await t.call("POST", "/api/upload-dicom")).status).toBe(401);
  });

  test("can't reach a pixel with a forged or foreign token", async () => {
    expect((await t.call("GET", `/dicomweb/t/abc${framePath}`)).status).toBe(401);
    expect((await t.call("GET", `/dicomweb/t/${owner.token}${framePath}`)).status).toBe(401);
  });

  test("can't use a session in another person's name", async () => {
    const [session] = await t.sql`select id from sessions where user_id = ${owner.id}`;
    const sid = String(session?.id);
    expect(await findLiveSession(t.deps, sid, owner.id)).toMatchObject({ userId: owner.id });
    expect(await findLiveSession(t.deps, sid, stranger.id)).toBeUndefined();
  });
});

describe("the same Study Instance UID in two accounts", () => {
  test("stays two archives", async () => {
    const second = await t.addPerson("Segunda Conta");
    const answer = await t.store(
      second,
      sampleZip({ study: "10", elements: { [TagHex.PatientID]: { vr: "LO", Value: ["OTHER"] } } }),
    );
    expect(answer.studies[0]?.id).not.toBe(studyId);
    const [own] = await listOf(second);
    expect(own).toMatchObject({ patientID: "OTHER", imagesReceived: 1 });
    expect((await listOf(owner))[0]).toMatchObject({ patientID: "P 001", imagesReceived: 2 });
    const byUID = await t.call("GET", `/api/studies/${uid}/series`, { as: second });
    expect(await byUID.json()).toEqual([expect.objectContaining({ imagesReceived: 1 })]);
    expect((await t.call("DELETE", `/api/studies/${uid}`, { as: second })).status).toBe(200);
    expect((await listOf(owner)).map((study) => study.id)).toContain(studyId);
  });

  test("is refused as ambiguous to an admin who names it by UID", async () => {
    const third = await t.addPerson("Terceira Conta");
    const admin = await t.addPerson("Admin Geral", { role: "admin" });
    const { studies } = await t.store(third, sampleZip({ study: "10" }));
    const answer = await t.call("GET", `/api/studies/${uid}/status`, { as: admin });
    expect(answer.status).toBe(409);
    const body = (await answer.json()) as { code: string; ids: string[] };
    expect(body.code).toBe("study.ambiguous");
    expect(body.ids.sort()).toEqual([studyId, studies[0]?.id ?? ""].sort());
  });
});

describe("a grantee", () => {
  let doctor: Person;
  beforeAll(async () => {
    doctor = await t.addPerson("Doutora Lia", { role: "doctor", plan: null });
    const granted = await t.call("POST", `/api/studies/${studyId}/assign`, {
      as: owner,
      json: { userId: doctor.id },
    });
    expect(granted.status).toBe(200);
  });

  test("sees, lists series and opens the viewer, without a subscription", async () => {
    expect((await listOf(doctor))[0]).toMatchObject({
      id: studyId,
      access: { share: false, delete: false },
      ownerName: "Dona Helena",
    });
    expect((await t.call("GET", `/api/studies/${studyId}/series`, { as: doctor })).status).toBe(200);
    const { token } = await viewerToken(doctor);
    expect((await t.call("GET", `/dicomweb/t/${token}${framePath}`)).status).toBe(200);
  });

  test("may neither delete, nor download as a doctor, nor share onward, nor see who else may", async () => {
    const deleted = await t.call("DELETE", `/api/studies/${studyId}`, { as: doctor });
    expect([403]).toContain(deleted.status);
    expect((await t.call("GET", `/api/studies/${studyId}/download`, { as: doctor })).status).toBe(403);
    const shared = await t.call("POST", `/api/studies/${studyId}/assign`, {
      as: doctor,
      json: { userId: stranger.id },
    });
    expect(shared.status).toBe(403);
    expect((await problemOf(shared)).code).toBe("study.not_owner");
    expect((await t.call("GET", `/api/studies/${studyId}/grants`, { as: doctor })).status).toBe(403);
    expect(await listOf(stranger)).toEqual([]);
  });

  test("learns nothing of whole files as a doctor, by no method and by no version that they know", async () => {
    const study = `/dicomweb/studies/${studyId}`;
    const places = [
      study,
      `${study}/series/${seriesUID}`,
      `${study}/series/${seriesUID}/instances/${sopUID}`,
    ];
    for (const place of places) {
      const headers = { accept: 'multipart/related; type="application/dicom"' };
      const known = await t.call("HEAD", place, { as: owner, headers });
      expect(known.status).toBe(200);
      for (const method of ["GET", "HEAD"]) {
        const versions = { "if-none-match": known.headers.get("etag") ?? "*" };
        for (const asked of [headers, { ...headers, ...versions }]) {
          const answer = await t.call(method, place, { as: doctor, headers: asked });
          expect([place, method, answer.status]).toEqual([place, method, 403]);
          expect(answer.headers.get("etag")).toBeNull();
        }
      }
    }
  });

  test("changes nothing by assigning the study to themselves", async () => {
    const answer = await t.call("POST", `/api/studies/${studyId}/assign`, {
      as: doctor,
      json: { userId: doctor.id },
    });
    expect(answer.status).toBe(200);
    const grants = (await (
      await t.call("GET", `/api/studies/${studyId}/grants`, { as: owner })
    ).json()) as unknown[];
    expect(grants).toHaveLength(1);
  });

  test("loses an open viewer the moment the grant is taken back", async () => {
    const { token } = await viewerToken(doctor);
    const statuses = async () => {
      const paths = [`/studies/${uid}/series`, `/studies/${uid}/metadata`, `/studies/${uid}/thumbnail`];
      const all = [...paths, `/studies/${uid}/series/${seriesUID}/metadata`, framePath];
      const answers = all.map((path) => t.call("GET", `/dicomweb/t/${token}${path}`));
      return (await Promise.all(answers)).map(({ status }) => status);
    };
    const listed = async () =>
      (await (await t.call("GET", `/dicomweb/t/${token}/studies`)).json()) as unknown[];
    expect(await statuses()).toEqual([200, 200, 200, 200, 200]);
    expect(await listed()).toHaveLength(1);
    const revoked = await t.call("DELETE", `/api/studies/${studyId}/grants/${doctor.id}`, { as: owner });
    expect(revoked.status).toBe(204);
    expect(await statuses()).toEqual([404, 404, 404, 404, 404]);
    expect(await listed()).toEqual([]);
    expect(await listOf(doctor)).toEqual([]);
    // Nor are they told of it any more.
    const told = await (await t.call("GET", "/api/notifications", { as: doctor })).json();
    expect(told).toMatchObject({ notifications: [] });
  });
});

test("nothing is shown before the audit has it, and what could not be recorded is recorded by the next request", async () => {
  const [study] = await findVisibleStudies(t.deps.db, { userId: owner.id, role: "user" }, [studyId]);
  const session = await findSession(t.deps, owner.token);
  if (!study || !session) throw new Error("the owner has no session, or no study");
  const origin = { address: "192.0.2.1", requestId: "an opening" };
  // So that no request of the tests before this one recorded it.
  const reader = { ...session, id: Bun.randomUUIDv7() };
  let isShown = false;
  await t.sql.begin(async (tx) => {
    await tx`lock table audit_events in exclusive mode`;
    const shown = Promise.allSettled([
      recordReading(t.deps, reader, study, origin),
      recordOpening(t.deps, reader, study, origin).then(() => {
        isShown = true;
      }),
    ]);
    await untilLockWaits(t.sql);
    expect(isShown).toBe(false);
    await t.sql`select pg_cancel_backend(pid) from pg_stat_activity where datname = current_database()
      and wait_event_type = 'Lock' and application_name = 'exameteca'`;
    expect((await shown).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  });
  await recordReading(t.deps, reader, study, origin);
  expect(await t.sql`select 1 from audit_events where request_id = 'an opening'`).toHaveLength(1);
});

test("a reading is recorded although the last one was at a time that has yet to come", async () => {
  const [study] = await findVisibleStudies(t.deps.db, { userId: owner.id, role: "user" }, [studyId]);
  const session = await findSession(t.deps, owner.token);
  if (!study || !session) throw new Error("the owner has no session, or no study");
  const origin = { address: "192.0.2.1", requestId: "a set back clock" };
  const reader = { ...session, id: Bun.randomUUIDv7() };
  t.setClock(3 * 86_400_000);
  await recordReading(t.deps, reader, study, origin);
  t.setClock(-3 * 86_400_000);
  for (let times = 0; times < 2; times++) await recordReading(t.deps, reader, study, origin);
  expect(await t.sql`select 1 from audit_events where request_id = 'a set back clock'`).toHaveLength(2);
});

describe("a viewer token", () => {
  test("opens only its study, and no part of /api", async () => {
    const other = await t.store(owner, sampleZip({ study: "11" }));
    const { token, url } = await viewerToken(owner);
    expect(url).toStartWith("/viewer/basic?StudyInstanceUIDs=");
    expect((await t.call("GET", `/dicomweb/t/${token}${framePath}`)).status).toBe(200);
    const otherFrame = `/studies/${studyUID("11")}/series/2.25.2.11.1/instances/2.25.3.11.1.1/frames/1`;
    expect((await t.call("GET", `/dicomweb/t/${token}${otherFrame}`)).status).toBe(404);
    const all = (await (await t.call("GET", `/dicomweb/t/${token}/studies`)).json()) as unknown[];
    expect(all).toHaveLength(1);
    const bearer = { ...owner, token };
    expect((await t.call("GET", "/api/studies", { as: bearer })).status).toBe(401);
    expect((await t.call("GET", `/api/downloads/${token}`)).status).toBe(401);
    await t.call("DELETE", `/api/studies/${other.studies[0]?.id}`, { as: owner });
  });

  test("ends with the session that made it", async () => {
    const again = await t.call("POST", "/api/auth/login", {
      json: { email: owner.email, password: owner.password },
    });
    const session: Person = { ...owner, token: ((await again.json()) as { token: string }).token };
    const { token } = await viewerToken(session);
    const paths = [`/dicomweb/t/${token}/studies`, `/dicomweb/t/${token}${framePath}`];
    for (const path of paths) expect((await t.call("GET", path)).status).toBe(200);
    await t.call("POST", "/api/auth/logout", { as: session });
    for (const path of paths) expect((await t.call("GET", path)).status).toBe(401);
    expect((await t.call("GET", "/api/studies", { as: session })).status).toBe(401);
  });

  test("ends after two hours", async () => {
    const person = await t.addPerson("Relógio Certo");
    const { studies } = await t.store(person, sampleZip({ study: "12" }));
    const { token } = await viewerToken(person, studies[0]?.id);
    const path = `/dicomweb/t/${token}/studies`;
    expect((await t.call("GET", path)).status).toBe(200);
    t.advance(2 * 3600_000 + 1000);
    expect((await t.call("GET", path)).status).toBe(401);
    t.advance(-(2 * 3600_000 + 1000));
  });

  test("is refused for data that is too large, or not base64 or JSON", async () => {
    for (const data of ["%%%", "bm90IGpzb24", "", Buffer.from("[]").toString("base64"), "x".repeat(9000)]) {
      const answer = await t.call("GET", `/generate-token?data=${encodeURIComponent(data)}`, { as: owner });
      expect(answer.status).toBe(400);
    }
  });
});
