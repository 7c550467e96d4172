import { afterAll, beforeAll, expect, test } from "bun:test";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";
import { sampleZip } from "../../support/zip/sample-zip.ts";

const HOUR_MS = 3600_000;

let t: TestApp;
let person: Person;
let study = 0;
beforeAll(async () => {
  t = await createTestApp();
  person = await t.addPerson("Relógio Torto", { plan: "clinica" });
}, 240_000);
afterAll(() => t[Symbol.asyncDispose]());

for (const [what, jumpMs] of [
  ["an hour ahead", HOUR_MS],
  ["an hour back", -HOUR_MS],
] as const) {
  test(`a clock that jumps ${what} ends no session, loses no upload and stops no job`, async () => {
    const before = (await t.store(person, sampleZip({ study: String(++study) }))).studies[0];
    const list = [{ userId: person.id, studyInstanceUID: before?.studyInstanceUID }];
    const data = Buffer.from(JSON.stringify(list)).toString("base64url");
    const viewer = await t.call("GET", `/generate-token?data=${data}`, { as: person });
    const { token } = (await viewer.json()) as { token: string };
    t.setClock(jumpMs);
    try {
      // The session and the viewer's token of before.
      expect((await t.call("GET", "/api/auth/me", { as: person })).status).toBe(200);
      expect((await t.call("GET", `/dicomweb/t/${token}/studies`)).status).toBe(200);
      const signedIn = await t.call("POST", "/api/auth/login", {
        json: { email: person.email, password: person.password },
      });
      expect(signedIn.status).toBe(200);
      // Transferred by a job, whose times are the database's.
      const after = (await t.store(person, sampleZip({ study: String(++study) }))).studies[0];
      for (const id of [before?.id, after?.id]) {
        const ticket = await t.call("POST", `/api/studies/${id}/download-ticket`, { as: person });
        const { url } = (await ticket.json()) as { url: string };
        const download = await t.call("GET", new URL(url, "http://localhost").pathname);
        expect(download.status).toBe(200);
        await download.arrayBuffer();
      }
      expect((await t.call("DELETE", `/api/studies/${after?.id}`, { as: person })).status).toBe(200);
    } finally {
      t.setClock(-jumpMs);
    }
    expect((await t.call("GET", "/api/auth/me", { as: person })).status).toBe(200);
  }, 240_000);
}
