import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { SignedInUser } from "../../../src/shared/api/users.ts";
import { factorsOf, type PasskeyOptions, totpAt } from "../../support/app/factors.ts";
import { type Bent, SoftwareAuthenticator } from "../../support/app/software-authenticator.ts";
import { createTestApp, type Person, problemOf, type TestApp } from "../../support/app/test-app.ts";
import { createVisitor, type Visitor } from "../../support/app/visitor.ts";
import { codeIn, linkIn, readOutbox } from "../../support/mail/outbox.ts";

const ORIGIN = "https://exames.example.com";
const MINUTE = 60_000;

let t: TestApp;
let factors: ReturnType<typeof factorsOf>;
beforeAll(async () => {
  t = await createTestApp({ env: { PUBLIC_URL: ORIGIN } });
  factors = factorsOf(t);
});
afterAll(() => t[Symbol.asyncDispose]());

const post = (path: string, json: unknown, as?: Person) => t.call("POST", path, { json, as });

async function withPasskey(name: string, options?: { counts?: boolean }) {
  const person = await t.addPerson(name);
  const key = new SoftwareAuthenticator(ORIGIN, options);
  const answer = await factors.addPasskey(person, key);
  return { person, key, ...answer };
}

async function signIn(key: SoftwareAuthenticator, bent?: Bent): Promise<Response> {
  const response = key.sign(await factors.signInOptions(), bent);
  return await post("/api/auth/passkeys/sign-in", { response });
}

async function later<Result>(milliseconds: number, act: () => Promise<Result>): Promise<Result> {
  t.advance(milliseconds);
  try {
    return await act();
  } finally {
    t.advance(-milliseconds);
  }
}

async function mailsTo(person: Person) {
  await t.settle();
  return (await readOutbox(t.deps.config.dataDir)).filter((mail) => mail.to.includes(person.email));
}

describe("a passkey", () => {
  test("signs in alone, without e-mail, password or code", async () => {
    const { person, key, recoveryCodes } = await withPasskey("Só a Chave");
    expect(recoveryCodes).toHaveLength(10);
    const options = await factors.signInOptions();
    expect(options.rpId).toBe("exames.example.com");
    expect(options.allowCredentials ?? []).toEqual([]);
    const answer = await post("/api/auth/passkeys/sign-in", { response: key.sign(options) });
    expect(answer.status).toBe(200);
    const user = (await answer.json()) as SignedInUser;
    expect(user.email).toBe(person.email);
    expect((await t.call("GET", "/api/auth/me", { as: { ...person, token: user.token } })).status).toBe(200);
    expect((await factors.read(person)).passkeys[0]?.lastUsedAt).not.toBeNull();
  });

  test("is announced to the owner and audited when it is added and when it is removed", async () => {
    const { person, key, passkey } = await withPasskey("Quer Saber");
    const proof = { currentPassword: person.password, passkey: key.sign(await factors.proofOptions(person)) };
    expect((await post(`/api/auth/passkeys/${passkey.id}/remove`, proof, person)).status).toBe(200);
    const subjects = (await mailsTo(person)).map(({ subject }) => subject);
    expect(subjects).toHaveLength(2);
    const rows = await t.sql`select action, details from audit_events
      where account_id = ${person.id} and action like 'factor.%' order by id`;
    expect(rows.map(({ action, details }) => [action, details])).toEqual([
      ["factor.added", { factor: "passkey" }],
      ["factor.removed", { factor: "passkey" }],
    ]);
    expect(await factors.read(person)).toMatchObject({ passkeys: [], recoveryCodesLeft: 0 });
    expect((await signIn(key)).status).toBe(401);
  });

  test("can be renamed by its owner only", async () => {
    const { person, passkey } = await withPasskey("Dá Nome");
    const other = await t.addPerson("Outra Dona");
    const path = `/api/auth/passkeys/${passkey.id}`;
    const renamed = await t.call("PATCH", path, { as: person, json: { name: " Celular novo " } });
    expect(await renamed.json()).toMatchObject({ name: "Celular novo" });
    expect((await t.call("PATCH", path, { as: other, json: { name: "Minha" } })).status).toBe(404);
    for (const name of ["", "x".repeat(61), "zero\u0000", "linha\nnova"]) {
      expect((await t.call("PATCH", path, { as: person, json: { name } })).status).toBe(400);
    }
  });
});

describe("a sign-in by passkey is refused", () => {
  const bends: [string, Bent][] = [
    ["from another origin", { origin: "https://exames.example.com.evil.example" }],
    ["from a page in somebody's frame", { crossOrigin: true }],
    ["for another relying party", { rpId: "example.com" }],
    ["without the person verified", { userVerified: false }],
    ["with a challenge that is not ours", { challenge: Buffer.alloc(120, 7).toString("base64url") }],
    ["as a registration", { type: "webauthn.create" }],
    ["for another user's handle", { userHandle: Buffer.from("somebody").toString("base64url") }],
    ["with a counter that went back", { counter: 1 }],
  ];
  for (const [why, bent] of bends) {
    test(why, async () => {
      const { key } = await withPasskey("Torta Demais");
      const answer = await signIn(key, bent);
      expect([answer.status, (await problemOf(answer)).code]).toEqual([401, "auth.wrong_passkey"]);
      expect((await signIn(key)).status).toBe(200);
    });
  }

  test("when its answer is sent again, or twice at once", async () => {
    for (const counts of [true, false]) {
      const { key } = await withPasskey("Repete Tudo", { counts });
      const response = key.sign(await factors.signInOptions());
      const send = () => post("/api/auth/passkeys/sign-in", { response });
      const statuses = (await Promise.all([send(), send(), send()])).map(({ status }) => status);
      expect(statuses.sort()).toEqual([200, 401, 401]);
      expect((await send()).status).toBe(401);
    }
  });

  test("when its challenge is older than five minutes", async () => {
    const { key } = await withPasskey("Demora Muito");
    const options = await factors.signInOptions();
    const response = key.sign(options);
    const answer = await later(5 * MINUTE, () => post("/api/auth/passkeys/sign-in", { response }));
    expect(answer.status).toBe(401);
  });

  test("when its challenge was made to confirm a change, or to register", async () => {
    const { person, key } = await withPasskey("Troca Desafio");
    const spare = await factors.proofOptions(person);
    const proof = { currentPassword: person.password, passkey: key.sign(await factors.proofOptions(person)) };
    const registration = await factors.registrationOptions(person, proof);
    for (const { challenge } of [spare, registration]) {
      expect((await signIn(key, { challenge })).status).toBe(401);
    }
  });

  test("when its account is blocked, with that reason, and its network is charged no more than for its password", async () => {
    const { person, key } = await withPasskey("Está Bloqueada");
    await t.sql`update users set is_authorized = false where id = ${person.id}`;
    await t.sql`delete from throttles`;
    const { email, password } = person;
    const byPassword = await post("/api/auth/login", { email, password });
    const response = key.sign(await factors.signInOptions());
    const byKey = await post("/api/auth/passkeys/sign-in", { response });
    for (const answer of [byPassword, byKey])
      expect([answer.status, (await problemOf(answer)).code]).toEqual([403, "auth.not_authorized"]);
    expect(await t.sql`select name from throttles where failures > 0`).toBeEmpty();
    expect((await post("/api/auth/passkeys/sign-in", { response })).status).toBe(401);
  });

  test("when nobody registered it, with the same message", async () => {
    const answer = await signIn(new SoftwareAuthenticator(ORIGIN));
    expect([answer.status, (await problemOf(answer)).code]).toEqual([401, "auth.wrong_passkey"]);
  });
});

describe("registering a passkey", () => {
  async function register(person: Person, key: SoftwareAuthenticator, bent?: Bent) {
    const response = key.register(await factors.registrationOptions(person), bent);
    return await post("/api/auth/passkeys", { name: "Chave", response }, person);
  }

  test("asks for the password, except for the first passkey within five minutes of the sign-in", async () => {
    const person = await t.addPerson("Sem Senha");
    const ask = (json: object) => post("/api/auth/passkeys/registration-options", json, person);
    expect((await ask({})).status).toBe(200);
    const wrong = await ask({ currentPassword: "outra" });
    expect([wrong.status, (await problemOf(wrong)).code]).toEqual([400, "auth.wrong_current_password"]);
    await later(6 * MINUTE, async () => {
      const refused = await ask({});
      expect([refused.status, (await problemOf(refused)).code]).toEqual([400, "auth.wrong_current_password"]);
      expect((await ask({ currentPassword: "outra" })).status).toBe(400);
      expect((await ask({ currentPassword: person.password })).status).toBe(200);
    });
    await factors.addPasskey(person, new SoftwareAuthenticator(ORIGIN));
    const second = await ask({ currentPassword: person.password });
    expect([second.status, (await problemOf(second)).code]).toEqual([400, "auth.factor_required"]);
  });

  test("is refused from another origin, relying party, challenge or session, or without the person verified", async () => {
    const person = await t.addPerson("Registra Torto");
    const bends: Bent[] = [
      { origin: "https://evil.example" },
      { rpId: "evil.example" },
      { userVerified: false },
      { crossOrigin: true },
      { type: "webauthn.get" },
      { challenge: (await factors.signInOptions()).challenge },
      { challenge: (await factors.registrationOptions(await t.addPerson("Outra Sessão"))).challenge },
    ];
    for (const bent of bends) {
      const answer = await register(person, new SoftwareAuthenticator(ORIGIN), bent);
      expect([answer.status, (await problemOf(answer)).code]).toEqual([400, "passkey.refused"]);
    }
    expect((await factors.read(person)).passkeys).toEqual([]);
  });

  test("refuses an attestation that brings certificates", async () => {
    const person = await t.addPerson("Traz Certificado");
    const x5c: [string, [Uint8Array]] = ["x5c", [Uint8Array.of(0x30, 0x03, 0x02, 0x01, 0x01)]];
    for (const fmt of ["packed", "fido-u2f", "android-key", "android-safetynet", "tpm", "apple"]) {
      const bent = { attestation: { fmt, attStmt: [x5c] } };
      const answer = await register(person, new SoftwareAuthenticator(ORIGIN), bent);
      expect([answer.status, (await problemOf(answer)).code]).toEqual([400, "passkey.refused"]);
    }
  });

  test("refuses bytes that are not an attestation", async () => {
    const person = await t.addPerson("Manda Lixo");
    const made = new SoftwareAuthenticator(ORIGIN).register(await factors.registrationOptions(person));
    const nested = Buffer.alloc(24_000, 0x81).toString("base64url");
    for (const attestationObject of ["AAAA", nested, Buffer.alloc(20_000).toString("base64url")]) {
      const response = { ...made, response: { ...made.response, attestationObject } };
      expect((await post("/api/auth/passkeys", { name: "Lixo", response }, person)).status).toBe(400);
    }
    const response = { ...made, response: { ...made.response, clientDataJSON: "bm9wZQ" } };
    expect((await post("/api/auth/passkeys", { name: "Lixo", response }, person)).status).toBe(400);
  });

  test("happens once for each response and once for each key, whoever sends it", async () => {
    const person = await t.addPerson("Duas Vezes");
    const key = new SoftwareAuthenticator(ORIGIN);
    const response = key.register(await factors.registrationOptions(person));
    const send = () => post("/api/auth/passkeys", { name: "Chave", response }, person);
    const statuses = (await Promise.all([send(), send()])).map(({ status }) => status);
    expect(statuses.sort()).toEqual([201, 400]);
    const thief = await t.addPerson("Toma Emprestada");
    const again = await register(thief, key);
    expect([again.status, (await problemOf(again)).code]).toEqual([409, "passkey.known"]);
    expect(await factors.read(thief)).toMatchObject({ passkeys: [], recoveryCodesLeft: 0 });
  });

  test("that began without a factor can't add one beside the first, nor can an app's", async () => {
    const person = await t.addPerson("Sessão Roubada");
    const [thief, owner] = [new SoftwareAuthenticator(ORIGIN), new SoftwareAuthenticator(ORIGIN)];
    const stolen = await factors.registrationOptions(person, {});
    const begun = await post("/api/auth/totp", {}, person);
    const { secret } = (await begun.json()) as { secret: string };
    await factors.addPasskey(person, owner);
    const added = await post(
      "/api/auth/passkeys",
      { name: "Ladrão", response: thief.register(stolen) },
      person,
    );
    expect([added.status, (await problemOf(added)).code]).toEqual([400, "passkey.refused"]);
    const code = totpAt(secret, t.deps.clock.now());
    const confirmed = await post("/api/auth/totp/confirm", { code }, person);
    expect([confirmed.status, (await problemOf(confirmed)).code]).toEqual([409, "totp.not_pending"]);
    expect(await factors.read(person)).toMatchObject({ passkeys: [{}], totp: null });
  });

  test("names the existing keys, and stops at twenty", async () => {
    const { person, key } = await withPasskey("Coleciona Chaves");
    const proof = async () => ({
      currentPassword: person.password,
      passkey: key.sign(await factors.proofOptions(person)),
    });
    const options = await factors.registrationOptions(person, await proof());
    expect(options.excludeCredentials?.map(({ id }) => id)).toEqual([key.credentialId]);
    await t.sql`insert into passkeys
      select gen_random_uuid(), user_id, credential_id || n, public_key, counter, transports, name, is_syncable,
        is_backed_up, created_at, last_used_at
      from passkeys, generate_series(1, 19) n where user_id = ${person.id}`;
    const full = await post("/api/auth/passkeys/registration-options", await proof(), person);
    expect([full.status, (await problemOf(full)).code]).toEqual([409, "passkey.too_many"]);
    const made = new SoftwareAuthenticator(ORIGIN).register(options);
    expect((await post("/api/auth/passkeys", { name: "21", response: made }, person)).status).toBe(409);
  });
});

describe("with a passkey", () => {
  test("access to the mailbox neither signs in nor removes the passkey", async () => {
    const { person, key, passkey } = await withPasskey("Caixa Roubada");
    await post("/api/auth/forgot-password", { email: person.email });
    const link = linkIn((await mailsTo(person)).at(-1));
    const token = link.pathname.split("/").at(-1);
    const password = "senha do ladrão";
    expect((await post("/api/auth/reset-password", { token, password })).status).toBe(200);
    const before = (await mailsTo(person)).length;
    const login = await post("/api/auth/login", { email: person.email, password });
    expect(await login.json()).toEqual({
      requiresTwoFactor: true,
      email: person.email,
      methods: ["passkey", "recovery"],
    });
    await post("/api/auth/resend-code", { email: person.email });
    const mails = await mailsTo(person);
    expect(mails).toHaveLength(before);
    expect(mails.map(codeIn).filter((code) => code !== "")).toEqual([]);
    for (const code of ["000000", "0000-0000-0000-0000"]) {
      expect((await post("/api/auth/verify-2fa", { email: person.email, code })).status).toBe(401);
    }
    const old = await post(`/api/auth/passkeys/${passkey.id}/remove`, { currentPassword: password }, person);
    expect(old.status).toBe(401);
    expect((await signIn(key)).status).toBe(200);
  });

  test("a code mailed before its registration opens nothing any more", async () => {
    const person = await t.addPerson("Código Velho");
    t.deps.config.twoFactor = "required";
    await post("/api/auth/login", { email: person.email, password: person.password });
    const code = codeIn((await mailsTo(person)).at(-1));
    expect(code).not.toBe("");
    t.deps.config.twoFactor = "off";
    await factors.addPasskey(person, new SoftwareAuthenticator(ORIGIN));
    expect((await post("/api/auth/verify-2fa", { email: person.email, code })).status).toBe(401);
  });

  test("a sign-in that waits for its second step is offered the account's own keys, and nobody else's", async () => {
    const { person, key } = await withPasskey("Espera Chave");
    const { email, password } = person;
    expect((await factors.signInOptions({ email })).allowCredentials ?? []).toEqual([]);
    const browser = createVisitor(t, "");
    await browser.post("/api/auth/login", { email, password });
    // A caller who only shares its network learns nothing.
    expect((await factors.signInOptions({ email })).allowCredentials ?? []).toEqual([]);
    const asked = await browser.post("/api/auth/passkeys/sign-in-options", { email });
    const options = (await asked.json()) as PasskeyOptions;
    expect(options.allowCredentials?.map(({ id }) => id)).toEqual([key.credentialId]);
    const answer = await browser.post("/api/auth/passkeys/sign-in", { response: key.sign(options) });
    expect(answer.status).toBe(200);
  });

  test("the owner's browser signs in, however often others in its network failed", async () => {
    const { key } = await withPasskey("Divide o Roteador");
    const browser = createVisitor(t, "");
    const passIn = async (at: Pick<Visitor, "post">, bent?: Bent) =>
      (
        await at.post("/api/auth/passkeys/sign-in", {
          response: key.sign(await factors.signInOptions(), bent),
        })
      ).status;
    expect(await passIn(browser)).toBe(200);
    expect(await passIn({ post }, { userVerified: false })).toBe(401);
    await t.sql`update throttles set failures = 300 where name = 'passkey:address'`;
    expect(await passIn({ post })).toBe(429);
    expect(await passIn(browser)).toBe(200);
    const wrong: number[] = [];
    for (let i = 0; i < 11; i++) wrong.push(await passIn(browser, { userVerified: false }));
    expect(wrong).toEqual([...Array(10).fill(401), 429]);
    await t.sql`delete from throttles`;
  });

  test("neither the password nor a stolen session alone removes it; somebody else's passkey does not either", async () => {
    const { person, passkey, recoveryCodes } = await withPasskey("Bem Guardada");
    const stranger = await withPasskey("Outra Pessoa");
    const remove = (json: object) => post(`/api/auth/passkeys/${passkey.id}/remove`, json, person);
    const { password: currentPassword } = person;
    const foreign = stranger.key.sign(await factors.proofOptions(person));
    const refusals: [object, string][] = [
      [{}, "auth.wrong_current_password"],
      [{ code: recoveryCodes?.[0] }, "auth.wrong_current_password"],
      [{ currentPassword }, "auth.factor_required"],
      [{ currentPassword, code: "123456" }, "auth.wrong_factor"],
      [{ currentPassword, code: stranger.recoveryCodes?.[0] }, "auth.wrong_factor"],
      [{ currentPassword, passkey: foreign }, "auth.wrong_factor"],
    ];
    for (const [json, code] of refusals) {
      const answer = await remove(json);
      expect([answer.status, (await problemOf(answer)).code]).toEqual([400, code]);
    }
    const path = `/api/auth/passkeys/${passkey.id}/remove`;
    const proof = {
      currentPassword: stranger.person.password,
      passkey: stranger.key.sign(await factors.proofOptions(stranger.person)),
    };
    expect((await post(path, proof, stranger.person)).status).toBe(404);
    expect((await factors.read(person)).passkeys).toHaveLength(1);
    expect((await remove({ currentPassword, code: recoveryCodes?.[0] })).status).toBe(200);
  });
});
