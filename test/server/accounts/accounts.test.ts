import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { CurrentUser, SignedInUser } from "../../../src/shared/api/users.ts";
import { createTestApp, type Person, problemOf, type TestApp } from "../../support/app/test-app.ts";

let t: TestApp;
beforeAll(async () => {
  t = await createTestApp({ jobs: false });
});
afterAll(() => t[Symbol.asyncDispose]());

const valid = {
  name: "Maria Conceição",
  email: "maria@example.com",
  cpfcnpj: "52998224725",
  password: "segredo",
};

describe("registering", () => {
  const wrong: [field: string, value: string, code: string, message: string][] = [
    ["name", "Jo", "validation.nameMin", "O nome deve ter pelo menos 3 caracteres"],
    ["email", "maria", "validation.invalidEmail", "Endereço de e-mail inválido"],
    ["cpfcnpj", "123", "validation.cpfCnpjLength", "CPF deve ter 11 dígitos ou CNPJ deve ter 14 dígitos"],
    ["cpfcnpj", "11111111111", "validation.cpfCnpjInvalid", "CPF ou CNPJ inválido"],
    ["cpfcnpj", "529.982.247-26", "validation.cpfCnpjInvalid", "CPF ou CNPJ inválido"],
    ["password", "12345", "validation.passwordMin", "A senha deve ter pelo menos 6 caracteres"],
  ];
  for (const [field, value, code, message] of wrong) {
    test(`refuses ${field} "${value}" and says why in Portuguese`, async () => {
      const answer = await t.call("POST", "/api/auth/register", {
        json: { ...valid, [field]: value },
        headers: { "accept-language": "pt-BR" },
      });
      expect(answer.status).toBe(400);
      const problem = await problemOf(answer);
      expect(problem.violations).toContainEqual({ path: field, code, message });
    });
  }

  test("accepts CPF and CNPJ, masked or plain, also the alphanumeric CNPJ", async () => {
    const ids = ["529.982.247-25", "52998224725", "11.222.333/0001-81", "12.ABC.345/01DE-35"];
    for (const [i, cpfcnpj] of ids.entries()) {
      const json = { ...valid, email: `id${i}@example.com`, cpfcnpj };
      expect((await t.call("POST", "/api/auth/register", { json })).status).toBe(201);
    }
  });

  test("opens a trial account that can sign in at once", async () => {
    const json = { ...valid, email: "trial@example.com" };
    expect((await t.call("POST", "/api/auth/register", { json })).status).toBe(201);
    const answer = await t.call("POST", "/api/auth/login", { json });
    const user = (await answer.json()) as SignedInUser;
    expect(user).toMatchObject({ name: valid.name, role: "user", isTrial: true, termsAcceptedAt: null });
    expect(user.cpfcnpj).toBe("52998224725");
    const days = (Date.parse(user.expiresAt ?? "") - Date.now()) / 86_400_000;
    expect(days).toBeCloseTo(14, 1);
    expect(JSON.stringify(user)).not.toContain("argon2");
  });

  test("the same e-mail again, in upper or lower case, is a conflict", async () => {
    await t.call("POST", "/api/auth/register", { json: { ...valid, email: "twice@example.com" } });
    const again = await t.call("POST", "/api/auth/register", {
      json: { ...valid, email: "TWICE@example.com" },
    });
    expect(again.status).toBe(409);
    expect((await problemOf(again)).code).toBe("auth.email_taken");
  });

  test("ignores unknown keys: nobody can register as admin", async () => {
    const json = { ...valid, email: "sly@example.com", role: "admin", isTrial: false };
    await t.call("POST", "/api/auth/register", { json });
    const user = (await (await t.call("POST", "/api/auth/login", { json })).json()) as SignedInUser;
    expect(user).toMatchObject({ role: "user", isTrial: true });
  });
});

describe("a session", () => {
  let person: Person;
  beforeAll(async () => {
    person = await t.addPerson("Sessão Aberta");
  });

  test("shows the current user and ends at logout", async () => {
    const me = (await (await t.call("GET", "/api/auth/me", { as: person })).json()) as CurrentUser;
    expect(me).toMatchObject({ id: person.id, email: person.email });
    expect(me).not.toHaveProperty("token");
    expect((await t.call("POST", "/api/auth/logout", { as: person })).status).toBe(200);
    expect((await t.call("GET", "/api/auth/me", { as: person })).status).toBe(401);
  });

  test("ends a minute before 12 idle hours at the earliest, and never later", async () => {
    const person = await t.addPerson("Volta Tarde");
    const me = async () => (await t.call("GET", "/api/auth/me", { as: person })).status;
    await me();
    // Too soon after the one before to be written.
    t.advance(59_000);
    await me();
    t.advance(12 * 3600_000 - 60_000);
    expect(await me()).toBe(200);
    t.advance(12 * 3600_000 + 1_000);
    expect(await me()).toBe(401);
  });

  test("ends after 12 idle hours, lasts while it is used, and ends after 7 days in any case", async () => {
    const signIn = async () => {
      const { email, password } = person;
      const answer = await t.call("POST", "/api/auth/login", { json: { email, password } });
      return { ...person, token: ((await answer.json()) as SignedInUser).token };
    };
    const idle = await signIn();
    const used = await signIn();
    const hours = 3600_000;
    for (let elapsed = 0; elapsed < 7 * 24 - 6; elapsed += 6) {
      t.advance(6 * hours);
      expect((await t.call("GET", "/api/auth/me", { as: used })).status).toBe(200);
    }
    expect((await t.call("GET", "/api/auth/me", { as: idle })).status).toBe(401);
    t.advance(7 * hours);
    expect((await t.call("GET", "/api/auth/me", { as: used })).status).toBe(401);
    t.advance(-7 * 24 * hours);
  });

  test("reads role and authorisation again at each request", async () => {
    const someone = await t.addPerson("Alguém");
    await t.sql`update users set is_authorized = false where id = ${someone.id}`;
    expect((await t.call("GET", "/api/auth/me", { as: someone })).status).toBe(401);
    const { email, password } = someone;
    const right = await t.call("POST", "/api/auth/login", { json: { email, password } });
    expect(right.status).toBe(403);
    const wrong = await t.call("POST", "/api/auth/login", { json: { email, password: "wrong" } });
    expect(wrong.status).toBe(401);
  });

  test("is never given for a token signed with another key", async () => {
    const [header, payload] = person.token.split(".");
    const none = Buffer.from('{"alg":"none"}').toString("base64url");
    for (const token of [`${header}.${payload}.AAAA`, `${none}.${payload}.`]) {
      expect((await t.call("GET", "/api/auth/me", { as: { ...person, token } })).status).toBe(401);
    }
  });
});

describe("guessing passwords", () => {
  test("gets 429 with Retry-After after 10 tries, also in parallel; the owner can sign in after the window", async () => {
    const person = await t.addPerson("Alvo Fácil");
    const guess = () =>
      t.call("POST", "/api/auth/login", { json: { email: person.email, password: "chute" } });
    const answers = await Promise.all(Array.from({ length: 25 }, guess));
    const statuses = answers.map((answer) => answer.status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(15);
    const refused = answers.find((answer) => answer.status === 429);
    expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThan(0);
    const { email, password } = person;
    expect((await t.call("POST", "/api/auth/login", { json: { email, password } })).status).toBe(429);
    t.advance(16 * 60_000);
    expect((await t.call("POST", "/api/auth/login", { json: { email, password } })).status).toBe(200);
  });

  test("is remembered across a restart", async () => {
    const person = await t.addPerson("Alvo Paciente");
    const guess = { email: person.email, password: "chute" };
    for (let i = 0; i < 10; i++) await t.call("POST", "/api/auth/login", { json: guess });
    await using again = await t.startAgain();
    const answer = await again.app.request("/api/auth/login", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(guess),
    });
    expect(answer.status).toBe(429);
  });

  test("is counted by failures only: a hundred right sign-ins are not limited", async () => {
    const { email, password } = await t.addPerson("Muito Ativa");
    for (let i = 0; i < 12; i++) {
      expect((await t.call("POST", "/api/auth/login", { json: { email, password } })).status).toBe(200);
    }
  });

  test("gets the same answer for an unknown e-mail and a wrong password", async () => {
    const person = await t.addPerson("Conhecida");
    const wrong = await t.call("POST", "/api/auth/login", {
      json: { email: person.email, password: "nada" },
    });
    const unknown = await t.call("POST", "/api/auth/login", {
      json: { email: "ninguem@example.com", password: "nada" },
    });
    const [a, b] = [await problemOf(wrong), await problemOf(unknown)];
    expect([unknown.status, b.code, b.message]).toEqual([wrong.status, a.code, a.message]);
  });
});

describe("registration settings", () => {
  test("refuse registration if closed, and make an account wait for an admin if approval is set", async () => {
    await using closed = await createTestApp({ jobs: false, env: { REGISTRATION: "closed" } });
    expect((await closed.call("POST", "/api/auth/register", { json: valid })).status).toBe(403);
    await using approval = await createTestApp({ jobs: false, env: { REGISTRATION: "approval" } });
    expect((await approval.call("POST", "/api/auth/register", { json: valid })).status).toBe(201);
    const answer = await approval.call("POST", "/api/auth/login", { json: valid });
    expect(answer.status).toBe(403);
    expect((await problemOf(answer)).code).toBe("auth.not_authorized");
  });
});
