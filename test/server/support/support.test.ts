import { afterAll, beforeAll, expect, test } from "bun:test";
import { createLogger } from "../../../src/server/runtime/log.ts";
import { createTestApp, problemOf, type TestApp } from "../../support/app/test-app.ts";
import { readOutbox } from "../../support/mail/outbox.ts";

const logged: string[] = [];
let t: TestApp;
beforeAll(async () => {
  const log = createLogger({ level: "debug", write: (line) => logged.push(line) });
  t = await createTestApp({ env: { SUPPORT_EMAIL: "ajuda@example.com" }, overrides: { log } });
});
afterAll(() => t[Symbol.asyncDispose]());

const fields = {
  subject: "Não abre",
  message: "O visualizador não abre.\nO que faço?",
  userEmail: "ana@example.com",
  userName: "Ana",
};
const png = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3);

async function send(
  overrides: Record<string, string> = {},
  image?: File,
  headers: Record<string, string> = {},
): Promise<Response> {
  const form = new FormData();
  for (const [name, value] of Object.entries({ ...fields, ...overrides })) form.set(name, value);
  if (image) form.set("image", image);
  const request = new Request("http://localhost/", { method: "POST", body: form });
  const contentType = request.headers.get("content-type") ?? "";
  return await t.call("POST", "/api/support/send", {
    body: await request.arrayBuffer(),
    headers: { "content-type": contentType, "accept-language": "pt-BR", ...headers },
  });
}

test("a message is kept and mailed to the operator, never to the address the form gives, and not logged", async () => {
  expect((await send({}, new File([png], "tela.png", { type: "image/png" }))).status).toBe(201);
  await t.settle();
  const mails = await readOutbox(t.deps.config.dataDir);
  expect(mails).toHaveLength(1);
  expect(mails[0]?.to).toContain("ajuda@example.com");
  expect(mails[0]?.subject).toBe("Suporte: Não abre");
  expect(mails[0]?.text).toContain("O visualizador não abre.");
  const [row] =
    await t.sql`select subject, user_email, image_type, length(image) as bytes from support_messages`;
  expect(row).toEqual({
    subject: "Não abre",
    user_email: "ana@example.com",
    image_type: "image/png",
    bytes: png.length,
  });
  expect(logged.filter((line) => line.includes("mail.written")).join()).toContain("Suporte: …");
  for (const typed of Object.values(fields)) expect(logged.join()).not.toContain(typed);
});

test("wrong fields are named in the caller's language", async () => {
  const wrong: [fields: Record<string, string>, image: File | undefined, path: string, code: string][] = [
    [{ subject: " " }, undefined, "subject", "support.subjectRequired"],
    [{ message: "" }, undefined, "message", "support.messageRequired"],
    [{}, new File(["<svg/>"], "tela.png", { type: "image/png" }), "image", "support.invalidImageFormat"],
    [{}, new File([png, new Uint8Array(5 * 1024 * 1024)], "tela.png"), "image", "support.imageTooLarge"],
  ];
  for (const [overrides, image, path, code] of wrong) {
    const answer = await send(overrides, image);
    expect(answer.status).toBe(400);
    expect((await problemOf(answer)).violations).toContainEqual(expect.objectContaining({ path, code }));
  }
});

test("ten messages an hour from one address, those sent back for their image not counted, then 429", async () => {
  t.advance(2 * 3600_000);
  for (let i = 0; i < 3; i++) expect((await send({}, new File(["<svg/>"], "tela.png"))).status).toBe(400);
  const statuses: number[] = [];
  for (let i = 0; i < 11; i++) statuses.push((await send()).status);
  expect(statuses).toEqual([...Array(10).fill(201), 429]);
});

test("a message that is sent again under its key, as after a lost answer, arrives once; another one under it is refused", async () => {
  t.advance(2 * 3600_000);
  const counted = async () => {
    await t.settle();
    const mails = await readOutbox(t.deps.config.dataDir);
    const [row] =
      await t.sql`select count(*)::int as rows from support_messages where subject = 'Duas vezes'`;
    return { mails: mails.filter(({ subject }) => subject.includes("Duas vezes")).length, rows: row?.rows };
  };
  const sendTwice = (overrides = {}, image = new File([png], "tela.png"), key = "a-1") =>
    send({ subject: "Duas vezes", ...overrides }, image, { "idempotency-key": key });
  const atOnce = await Promise.all([sendTwice(), sendTwice(), sendTwice()]);
  const answers = [...atOnce, await sendTwice()];
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
  expect(await counted()).toEqual({ mails: 1, rows: 1 });
  const others = [
    sendTwice({ message: "Outra" }),
    sendTwice({ userName: "Bia" }),
    sendTwice({}, new File([png, png], "tela.png")),
  ];
  for (const other of others)
    expect(await problemOf(await other)).toMatchObject({ status: 409, code: "support.key_used" });
  expect((await sendTwice({}, undefined, "a 1")).status).toBe(400);
  expect(await counted()).toEqual({ mails: 1, rows: 1 });
  // Somebody else's key is their own.
  expect((await sendTwice({ userEmail: "bia@example.com" })).status).toBe(201);
  expect(await counted()).toEqual({ mails: 2, rows: 2 });
});

test("other messages under a key count, so that nobody asks without end what was sent; the same one does not", async () => {
  t.advance(2 * 3600_000);
  const sendUnder = (message: string) =>
    send({ subject: "Sem fim", message }, undefined, { "idempotency-key": "b-1" });
  for (let times = 0; times < 12; times++) expect((await sendUnder("Esta")).status).toBe(201);
  const statuses: number[] = [];
  for (let times = 0; times < 10; times++) statuses.push((await sendUnder(`Outra ${times}`)).status);
  expect(statuses).toEqual([...Array.from({ length: 9 }, () => 409), 429]);
  t.advance(2 * 3600_000);
});

test("the tenth message of an hour is answered again under its key, and no other one is", async () => {
  t.advance(2 * 3600_000);
  const sendUnder = async (message: string, key: string) =>
    (await send({ subject: "A última", message }, undefined, { "idempotency-key": key })).status;
  for (let i = 1; i <= 10; i++) expect(await sendUnder(`${i}`, `c-${i}`)).toBe(201);
  for (let times = 0; times < 12; times++) expect(await sendUnder("10", "c-10")).toBe(201);
  for (let times = 0; times < 12; times++) expect(await sendUnder("Outra", "c-10")).toBe(429);
  expect([await sendUnder("10", "c-10"), (await send()).status]).toEqual([429, 429]);
  const [row] = await t.sql`select count(*)::int as rows from support_messages where subject = 'A última'`;
  expect(row?.rows).toBe(10);
});
