import { afterAll, beforeAll, expect, spyOn, test } from "bun:test";
import type { LabExam } from "../../../src/shared/api/labs.ts";
import { MIB } from "../../../src/shared/units.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";
import { formBody, samplePdf } from "../../support/pdf/sample-pdf.ts";

let t: TestApp;
let person: Person;
beforeAll(async () => {
  t = await createTestApp({ jobs: false });
  person = await t.addPerson("Pergunta Muito");
});
afterAll(() => t[Symbol.asyncDispose]());

test("HEAD of a long PDF leaves nothing open that it would be read from", async () => {
  const pdf = samplePdf("x".repeat(4 * MIB));
  const form = await formBody({ examName: "Hemograma", modality: "LAB" }, { name: "file", bytes: pdf });
  await t.call("POST", "/api/exams-lab/upload", { as: person, ...form });
  const [exam] = (await (await t.call("GET", "/api/exams-lab", { as: person })).json()) as LabExam[];
  const { store } = t.deps;
  // As a remote store, which is read as a stream.
  Object.assign(store, { scan: undefined });
  const open = store.open.bind(store);
  let [opened, ended] = [0, 0];
  using _ = spyOn(store, "open").mockImplementation(async (key, range) => {
    const body = await open(key, range);
    const reader = (body instanceof Blob ? body.stream() : body).getReader();
    opened++;
    return new ReadableStream({
      async pull(controller) {
        const { value, done } = await reader.read();
        if (!done) return controller.enqueue(value);
        ended++;
        controller.close();
      },
      async cancel() {
        ended++;
        await reader.cancel();
      },
    });
  });
  for (const path of ["view", "download"]) {
    const head = await t.call("HEAD", `/api/exams-lab/${exam?.id}/${path}`, { as: person });
    expect([head.status, head.headers.get("content-length")]).toEqual([200, String(pdf.length)]);
  }
  expect(opened).toBeGreaterThan(1);
  expect(ended).toBe(opened);
});

test("HEAD of a file whose length is known once it is sent says no length, least of all 0", async () => {
  const ticket = await t.call("POST", "/api/users/export-ticket", { as: person });
  const { url: ticketed } = (await ticket.json()) as { url: string };
  const url = await t.listen();
  const page = await (await fetch(url)).text();
  const script = /\/assets\/[^"]+\.js/.exec(page)?.[0] ?? "";
  for (const path of [ticketed, script]) {
    const { status, headers } = await fetch(new URL(path, url), { method: "HEAD" });
    expect([status, headers.get("content-length")]).toEqual([200, null]);
  }
});
