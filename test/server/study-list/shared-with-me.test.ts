import { afterAll, beforeAll, expect, test } from "bun:test";
import type { SharedWithMe } from "../../../src/shared/api/shared-studies.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";
import { formBody, samplePdf } from "../../support/pdf/sample-pdf.ts";
import { sampleZip } from "../../support/zip/sample-zip.ts";

let t: TestApp;
let owner: Person;
let doctor: Person;
const ids: string[] = [];
beforeAll(async () => {
  t = await createTestApp();
  owner = await t.addPerson("Dona Marina");
  doctor = await t.addPerson("Dra Ines", { role: "doctor", plan: null });
  for (const study of ["1", "2"]) {
    const { studies } = await t.store(owner, sampleZip({ study }));
    ids.push(studies[0]?.id ?? "");
  }
}, 240_000);
afterAll(() => t[Symbol.asyncDispose]());

const read = async (as: Person) =>
  (await (await t.call("GET", "/api/shared-with-me", { as })).json()) as SharedWithMe;
const share = (study: string | undefined, json: object) =>
  t.call("POST", `/api/studies/${study}/share`, { as: owner, json: { email: doctor.email, ...json } });
const idsOf = (part: SharedWithMe["fresh"]) => part.map(({ study }) => study.id);

test("a shared exam is new until its images are opened, and then seen", async () => {
  expect(await read(doctor)).toEqual({ total: 0, freshTotal: 0, fresh: [], seen: [], awaiting: [] });
  for (const id of ids) {
    t.advance(60_000);
    expect((await share(id, {})).status).toBe(201);
  }
  const before = await read(doctor);
  expect([before.total, before.freshTotal, idsOf(before.fresh)]).toEqual([2, 2, ids.toReversed()]);
  expect(before.fresh[0]?.study.ownerName).toBe("Dona Marina");

  const data = btoa(JSON.stringify([{ userId: doctor.id, id: ids[0] }]));
  expect((await t.call("GET", `/generate-token?data=${data}`, { as: doctor })).status).toBe(200);
  const after = await read(doctor);
  expect([after.freshTotal, ...idsOf(after.fresh), ...idsOf(after.seen)]).toEqual([1, ...ids.toReversed()]);
  expect(after.seen[0]?.seenAt).not.toBeNull();
  // What the owner opens is nothing that others share with them.
  expect((await read(owner)).total).toBe(0);
});

test("a doctor who is asked for a report sees so until there is one, however the exam was shared before", async () => {
  expect((await share(ids[1], { asksForReport: true })).status).toBe(201);
  expect(idsOf((await read(doctor)).awaiting)).toEqual([ids[1] ?? ""]);
  const form = await formBody({ studyInstanceUID: ids[1] ?? "" }, { name: "laudo", bytes: samplePdf() });
  const sent = await t.call("POST", "/api/studies/laudo/upload", { as: doctor, ...form });
  expect(sent.status).toBe(201);
  const after = await read(doctor);
  expect(after.awaiting).toEqual([]);
  expect(after.fresh[0]?.study.access.deleteReport).toBe(true);
});

test("an exam that is no longer shared is no longer announced, and people can list their own exams alone", async () => {
  const stranger = await t.addPerson("Outro Paciente");
  await t.store(stranger, sampleZip({ study: "9" }));
  const given = { as: owner, json: { userId: stranger.id } };
  expect((await t.call("POST", `/api/studies/${ids[0]}/assign`, given)).status).toBe(200);
  expect((await read(stranger)).total).toBe(1);
  const listed = async (query: string) => {
    const answer = await t.call("GET", `/api/studies${query}`, { as: stranger });
    return [answer.headers.get("x-total-count"), ((await answer.json()) as unknown[]).length];
  };
  expect(await listed("")).toEqual(["2", 2]);
  expect(await listed("?whose=own")).toEqual(["1", 1]);
  await t.call("DELETE", `/api/studies/${ids[0]}/grants/${stranger.id}`, { as: owner });
  expect((await read(stranger)).total).toBe(0);
});
