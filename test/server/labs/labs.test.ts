import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { inPieces } from "../../../src/server/archive/pieces.ts";
import { openLabExam } from "../../../src/server/features/labs/open-lab-exam.ts";
import { startSubscription } from "../../../src/server/features/subscriptions/start-subscription.ts";
import type { AppError } from "../../../src/server/http/app-error.ts";
import type { LabExam, LabStats } from "../../../src/shared/api/labs.ts";
import { createTestApp, type Person, problemOf, type TestApp } from "../../support/app/test-app.ts";
import { formBody, samplePdf } from "../../support/pdf/sample-pdf.ts";

let t: TestApp;
let person: Person;
beforeAll(async () => {
  t = await createTestApp();
  person = await t.addPerson("Guarda Exames");
});
afterAll(() => t[Symbol.asyncDispose]());

const valid = { examName: "Hemograma completo", modality: "LAB", examDate: "2026-10-02" };

async function upload(
  as: Person,
  fields: Record<string, string> = valid,
  pdf = samplePdf(),
): Promise<Response> {
  const form = await formBody(fields, { name: "file", bytes: pdf });
  return await t.call("POST", "/api/exams-lab/upload", { as, ...form });
}
const list = async (as: Person) =>
  (await (await t.call("GET", "/api/exams-lab", { as })).json()) as LabExam[];
const stats = async (as: Person) =>
  (await (await t.call("GET", "/api/exams-lab/stats", { as })).json()) as LabStats;

describe("a lab exam", () => {
  test("is kept, listed newest first, viewed for free and downloaded for one action", async () => {
    const who = await t.addPerson("Vê e Baixa");
    await upload(who, { ...valid, examName: "Primeiro" });
    t.advance(1000);
    await upload(who, { examName: "Segundo", modality: "DEN" }, samplePdf("osso"));
    const exams = await list(who);
    expect(exams.map((exam) => exam.laudoDescription)).toEqual(["Segundo", "Primeiro"]);
    expect(exams[0]).toMatchObject({ modality: "DEN", examDate: null });
    const view = await t.call("GET", `/api/exams-lab/${exams[0]?.id}/view`, { as: who });
    expect(new Uint8Array(await view.arrayBuffer())).toEqual(samplePdf("osso"));
    expect(await stats(who)).toMatchObject({ currentLabExamCount: 2, labActionsThisMonth: 0 });
    const download = await t.call("GET", `/api/exams-lab/${exams[0]?.id}/download`, { as: who });
    expect(download.headers.get("content-disposition")).toStartWith("attachment");
    expect(await stats(who)).toMatchObject({ labActionsThisMonth: 1 });
  });

  test("is downloaded in ranges for one action within the hour, and by its version not again", async () => {
    const who = await t.addPerson("Baixa em Partes");
    const { id } = (await (await upload(who)).json()) as LabExam;
    const whole = samplePdf();
    const download = (headers: Record<string, string> = {}) =>
      t.call("GET", `/api/exams-lab/${id}/download`, { as: who, headers });
    const used = async () => (await stats(who)).labActionsThisMonth;
    const parts = await Promise.all([download({ range: "bytes=0-9" }), download({ range: "bytes=10-" })]);
    expect(parts.map(({ status }) => status)).toEqual([206, 206]);
    const [head, tail] = await Promise.all(parts.map((part) => part.bytes()));
    expect(Buffer.concat([head ?? "", tail ?? ""].map((one) => Buffer.from(one)))).toEqual(
      Buffer.from(whole),
    );
    expect(parts[0]?.headers.get("content-range")).toBe(`bytes 0-9/${whole.length}`);
    expect((await download({ range: "bytes=0-9, 20-29" })).status).toBe(200);
    expect(await used()).toBe(1);

    const all = await download();
    const etag = all.headers.get("etag") ?? "";
    expect([all.status, all.headers.get("content-length")]).toEqual([200, String(whole.length)]);
    expect(await used()).toBe(2);
    expect((await download({ "if-none-match": etag })).status).toBe(304);
    expect((await download({ range: "bytes=0-9", "if-range": etag })).status).toBe(206);
    const beyond = await download({ range: `bytes=${whole.length}-` });
    expect([beyond.status, beyond.headers.get("content-range")]).toEqual([416, `bytes */${whole.length}`]);
    expect(await used()).toBe(2);
    expect((await download({ range: "bytes=0-9", "if-range": '"other"' })).status).toBe(200);
    expect(await used()).toBe(3);
    expect((await download({ range: "bytes=0-9", "if-match": etag })).status).toBe(206);
    expect((await download({ range: "bytes=0-9", "if-match": '"other"' })).status).toBe(412);
    expect(await used()).toBe(3);
    t.advance(61 * 60_000);
    expect((await download({ range: "bytes=0-9" })).status).toBe(206);
    expect(await used()).toBe(4);
    t.advance(-61 * 60_000);
    const other = (await (await upload(who)).json()) as LabExam;
    const headers = { range: "bytes=0-9" };
    await t.call("GET", `/api/exams-lab/${other.id}/download`, { as: who, headers });
    expect(await used()).toBe(5);
  });

  test("is asked about for free, and not recorded as opened, by HEAD", async () => {
    const who = await t.addPerson("Pergunta Antes");
    const { id } = (await (await upload(who)).json()) as LabExam;
    for (const path of ["download", "view"]) {
      const head = await t.call("HEAD", `/api/exams-lab/${id}/${path}`, { as: who });
      expect(head.status).toBe(200);
      expect(head.headers.get("content-length")).toBe(String(samplePdf().length));
    }
    expect(await stats(who)).toMatchObject({ labActionsThisMonth: 0 });
    const opened = await t.sql`
      select action from audit_events
      where actor_id = ${who.id} and action in ('lab.downloaded', 'lab.opened')`;
    expect(opened).toHaveLength(0);
  });

  test("whose download the month has no room for leaves no read of the store open", async () => {
    const who = await t.addPerson("Mês Cheio");
    const long = Buffer.concat([samplePdf(), Buffer.alloc(3_000_000, " ")]);
    const { id } = (await (await upload(who, valid, long)).json()) as LabExam;
    await t.sql`update subscriptions set lab_downloads = 1000 where user_id = ${who.id}`;
    let openReads = 0;
    const { store } = t.deps;
    /** As a store behind a network has it: a read stays open until it is ended. */
    const remote: typeof store = {
      ...store,
      scan: undefined,
      async open(key, range = { offset: 0, length: long.length }) {
        const pieces = inPieces(await store.read(key, range));
        openReads++;
        return new ReadableStream({
          async pull(controller) {
            const { value, done } = await pieces.next();
            if (!done) return controller.enqueue(value);
            openReads--;
            controller.close();
          },
          cancel: () => void openReads--,
        });
      },
    };
    const session = {
      id: who.id,
      userId: who.id,
      role: "user",
      hasActiveSubscription: true,
      isTrial: false,
    } as const;
    const origin = { address: "192.0.2.1", requestId: "r" };
    const request = (range?: string) =>
      new Request("http://localhost/", range === undefined ? {} : { headers: { range } });
    const open = (range?: string) => {
      const asked = { id, isDownload: true, request: request(range) };
      return openLabExam({ ...t.deps, store: remote }, session, asked, origin);
    };
    for (const range of [undefined, "bytes=10-"]) {
      const { kind } = (await open(range).catch((error) => error)) as AppError;
      expect(kind?.code).toBe("quota.actions");
    }
    expect(openReads).toBe(0);
  });

  test("is neither charged nor recorded for a client that has left", async () => {
    const who = await t.addPerson("Foi Embora");
    const { id } = (await (await upload(who)).json()) as LabExam;
    const session = {
      id: who.id,
      userId: who.id,
      role: "user",
      hasActiveSubscription: true,
      isTrial: false,
    } as const;
    const origin = { address: "192.0.2.1", requestId: "r" };
    for (const isDownload of [true, false]) {
      const request = new Request("http://localhost/", { signal: AbortSignal.abort() });
      const answer = await openLabExam(t.deps, session, { id, isDownload, request }, origin);
      expect(answer.status).toBe(499);
    }
    expect(await stats(who)).toMatchObject({ labActionsThisMonth: 0 });
    const opened = await t.sql`
      select action from audit_events
      where actor_id = ${who.id} and action in ('lab.downloaded', 'lab.opened')`;
    expect(opened).toHaveLength(0);
  });

  test("is viewed whatever its name, also where a long one is cut", async () => {
    const who = await t.addPerson("Nomes Longos");
    for (const [examName, shown] of [
      [`${"a".repeat(99)}𠮷𠮷`, "a".repeat(99)],
      ["../../x", "x"],
      ["…", "exame"],
    ] as const) {
      const { id } = (await (await upload(who, { ...valid, examName })).json()) as LabExam;
      const view = await t.call("GET", `/api/exams-lab/${id}/view`, { as: who });
      expect(view.status).toBe(200);
      expect(view.headers.get("content-disposition")).toEndWith(`''${shown}.pdf`);
    }
  });

  test("is deleted with its bytes, which frees its place in the plan", async () => {
    const who = await t.addPerson("Apaga Exame");
    const { id } = (await (await upload(who)).json()) as LabExam;
    const [row] = await t.sql`select key from lab_exams where id = ${id}`;
    expect((await t.call("DELETE", `/api/exams-lab/${id}`, { as: who })).status).toBe(200);
    expect((await t.call("DELETE", `/api/exams-lab/${id}`, { as: who })).status).toBe(404);
    await t.settle();
    expect(await t.deps.store.stat(row?.key)).toBeUndefined();
    expect(await stats(who)).toMatchObject({ currentLabExamCount: 0, labActionsThisMonth: 1 });
  });

  test("of someone else is not found", async () => {
    const { id } = (await (await upload(person)).json()) as LabExam;
    const stranger = await t.addPerson("Outro Curioso");
    for (const [method, path] of [
      ["GET", "view"],
      ["GET", "download"],
    ] as const) {
      expect((await t.call(method, `/api/exams-lab/${id}/${path}`, { as: stranger })).status).toBe(404);
    }
    expect((await t.call("DELETE", `/api/exams-lab/${id}`, { as: stranger })).status).toBe(404);
    expect(await list(stranger)).toEqual([]);
  });

  test("needs a name, a modality from the list and a PDF", async () => {
    expect((await upload(person, { ...valid, examName: " " })).status).toBe(400);
    expect((await upload(person, { ...valid, modality: "XYZ" })).status).toBe(400);
    expect((await upload(person, { ...valid, examDate: "02/10/2026" })).status).toBe(400);
    const noPdf = await upload(person, valid, new TextEncoder().encode("nada"));
    expect((await problemOf(noPdf)).code).toBe("document.not_pdf");
  });

  test("is refused with a second file, which would be lost, but not with an input that was left empty", async () => {
    const who = await t.addPerson("Dois PDFs");
    const send = async (...files: { name: string; bytes: Uint8Array; fileName?: string }[]) => {
      const form = await formBody(valid, ...files);
      return await t.call("POST", "/api/exams-lab/upload", {
        as: who,
        ...form,
        headers: { ...form.headers, "accept-language": "pt-BR" },
      });
    };
    const first = { name: "file", bytes: samplePdf("um") };
    const empty = { name: "file", bytes: new Uint8Array(), fileName: "" };
    for (const name of ["file", "anexo"]) {
      const problem = await problemOf(await send(first, { name, bytes: samplePdf("outro") }));
      expect(problem).toMatchObject({ status: 400, code: "body.further_file", violations: [{ path: name }] });
      expect(problem.message).toContain("um arquivo por vez");
    }
    expect(await list(who)).toEqual([]);
    expect((await send(first, empty)).status).toBe(201);
    expect((await send(empty, first)).status).toBe(201);
  });

  test("that is sent again under its key, as after a lost answer, is there once; without a key it is another", async () => {
    const who = await t.addPerson("Tenta de Novo", { plan: "avaliacao" });
    const send = async (
      idempotencyKey?: string,
      fields: Record<string, string> = valid,
      pdf = samplePdf(),
    ) => {
      const form = await formBody(fields, { name: "file", bytes: pdf });
      const headers = { ...form.headers, ...(idempotencyKey && { "idempotency-key": idempotencyKey }) };
      return await t.call("POST", "/api/exams-lab/upload", { as: who, ...form, headers });
    };
    const atOnce = await Promise.all([send("a-1"), send("a-1"), send("a-1")]);
    t.advance(60_000);
    const answers = [...atOnce, await send("a-1")];
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    const exams = (await Promise.all(answers.map((answer) => answer.json()))) as LabExam[];
    expect(await list(who)).toEqual([exams[0] as LabExam]);
    for (const exam of exams) expect(exam).toEqual(exams[0] as LabExam);
    for (const [fields, pdf] of [
      [{ ...valid, examName: "Outro" }, samplePdf()],
      [valid, samplePdf("outro")],
    ] as const)
      expect((await problemOf(await send("a-1", fields, pdf))).code).toBe("lab.key_used");
    expect((await problemOf(await send("a 1"))).status).toBe(400);
    expect(await stats(who)).toMatchObject({ currentLabExamCount: 1 });
    expect((await send()).status).toBe(201);
    expect(await list(who)).toHaveLength(2);
    // The plan is full, and what it has can still be asked for.
    expect((await send("a-1")).status).toBe(201);
    const stranger = await t.addPerson("Mesma Chave");
    const form = await formBody(valid, { name: "file", bytes: samplePdf() });
    const headers = { ...form.headers, "idempotency-key": "a-1" };
    const other = await t.call("POST", "/api/exams-lab/upload", { as: stranger, ...form, headers });
    expect(((await other.json()) as LabExam).id).not.toBe(exams[0]?.id ?? "");
  });

  test("that was removed with its account's plan is not what an upload under its key is answered with", async () => {
    const who = await t.addPerson("Cancela e Volta");
    const form = await formBody(valid, { name: "file", bytes: samplePdf() });
    const headers = { ...form.headers, "idempotency-key": "b-1" };
    const send = () => t.call("POST", "/api/exams-lab/upload", { as: who, ...form, headers });
    const removed = (await (await send()).json()) as LabExam;
    expect((await t.call("POST", "/api/subscriptions/cancel", { as: who })).status).toBe(200);
    expect((await problemOf(await send())).code).toBe("subscription.required");
    const now = t.deps.clock.now();
    await startSubscription(t.deps.db, { userId: who.id, planSlug: "clinica", expiresAt: null, now });
    const again = (await (await send()).json()) as LabExam;
    expect(again.id).not.toBe(removed.id);
    expect(await list(who)).toEqual([again]);
    expect(await (await send()).json()).toEqual(again);
    expect(await stats(who)).toMatchObject({ currentLabExamCount: 1 });
  });

  test("counts separately from imaging, under the same limit, also in parallel", async () => {
    const trial = await t.addPerson("Teste de Limite", { plan: "avaliacao" });
    const answers = await Promise.all(Array.from({ length: 5 }, () => upload(trial)));
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(2);
    expect(await list(trial)).toHaveLength(2);
    const [row] =
      await t.sql`select exam_count, lab_exam_count from subscriptions where user_id = ${trial.id}`;
    expect(row).toEqual({ exam_count: 0, lab_exam_count: 2 });
    const staged =
      await t.sql`select state from uploads where account_id = ${trial.id} and state = 'receiving'`;
    expect(staged).toHaveLength(0);
  });

  test("is deleted with its account", async () => {
    const leaving = await t.addPerson("De Partida");
    const admin = await t.addPerson("Admin Labs", { role: "admin" });
    const { id } = (await (await upload(leaving)).json()) as LabExam;
    const [row] = await t.sql`select key from lab_exams where id = ${id}`;
    await t.call("DELETE", `/api/users/${leaving.id}`, { as: admin });
    await t.settle();
    expect(await t.deps.store.stat(row?.key)).toBeUndefined();
  });
});
