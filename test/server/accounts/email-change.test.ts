import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { NewUserAnswer } from "../../../src/shared/api/users.ts";
import { createTestApp, type Person, problemOf, type TestApp } from "../../support/app/test-app.ts";
import { linkIn, type ReadMail, readOutbox } from "../../support/mail/outbox.ts";
import { runProgram } from "../../support/program/run-program.ts";
import { untilLockWaits } from "../../support/until.ts";

let t: TestApp;
let admin: Person;
beforeAll(async () => {
  t = await createTestApp({ env: { TRUST_PROXY: "127.0.0.1" } });
  admin = await addPerson("Admin Chefe", "admin");
}, 240_000);
afterAll(() => t[Symbol.asyncDispose]());

let addresses = 0;
// Each test uses its own address, so that limits per address do not interfere.
let from: Record<string, string> = {};
beforeEach(() => {
  from = { "x-forwarded-for": `198.51.100.${++addresses}` };
});

async function addPerson(name: string, role: "user" | "admin" = "user"): Promise<Person> {
  t.deps.config.twoFactor = "off";
  return await t.addPerson(name, { role });
}

const post = (path: string, json: unknown) => t.call("POST", path, { json, headers: from });
const patchProfile = (person: Person, body: object) =>
  t.call("PATCH", "/api/users/profile", {
    as: person,
    json: { name: "Nome Igual", email: person.email, ...body },
    headers: from,
  });
const logIn = (email: string, password: string) => post("/api/auth/login", { email, password });
const tokenOf = (mail: ReadMail | undefined) => linkIn(mail).pathname.split("/").at(-1) ?? "";

async function mailsTo(email: string): Promise<ReadMail[]> {
  await t.settle();
  return (await readOutbox(t.deps.config.dataDir)).filter((mail) => mail.to.includes(email));
}

async function newestTo(email: string, path: string): Promise<ReadMail | undefined> {
  return (await mailsTo(email)).findLast((mail) => linkIn(mail).pathname.startsWith(path));
}

let made = 0;
const newAddress = () => `nova${++made}@example.com`;

async function askFor(person: Person, email: string): Promise<void> {
  expect((await patchProfile(person, { email, currentPassword: person.password })).status).toBe(200);
}

async function confirm(email: string): Promise<string | null> {
  const { pathname } = linkIn(await newestTo(email, "/confirm-email/"));
  return (await t.call("GET", pathname)).headers.get("location");
}

const stop = (token: string) => post("/api/auth/stop-email-change", { token });

async function actionsOf(accountId: string): Promise<string[]> {
  const rows = await t.sql`select action from audit_events where account_id = ${accountId} order by id`;
  return rows.map(({ action }) => action);
}

describe("a new e-mail in the profile", () => {
  test("needs the current password: 400 without it or with a wrong one, and nothing is mailed", async () => {
    const person = await addPerson("Sessão Roubada");
    const email = newAddress();
    const without = await patchProfile(person, { email });
    expect(without.status).toBe(400);
    expect((await problemOf(without)).violations?.[0]).toMatchObject({
      path: "currentPassword",
      code: "validation.emailChangePassword",
    });
    const wrong = await patchProfile(person, { email, currentPassword: "chute" });
    expect([wrong.status, (await problemOf(wrong)).code]).toEqual([400, "auth.wrong_current_password"]);
    expect(await mailsTo(email)).toEqual([]);
    expect(await mailsTo(person.email)).toEqual([]);
  });

  test("can come with a new password; the same address, in upper or lower case, needs no password", async () => {
    const person = await addPerson("Mesmo Endereço");
    expect((await patchProfile(person, { email: person.email.toUpperCase() })).status).toBe(200);
    const alone = await patchProfile(person, { currentPassword: person.password });
    expect((await problemOf(alone)).violations?.[0]).toMatchObject({
      path: "newPassword",
      code: "validation.passwordChangeInvalid",
    });
    const email = newAddress();
    const newPassword = "outra senha";
    const both = await patchProfile(person, { email, currentPassword: person.password, newPassword });
    expect(both.status).toBe(200);
    expect(await confirm(email)).toBe("/?email=confirmed");
    expect((await logIn(email, newPassword)).status).toBe(200);
  });
});

test("an admin's own e-mail change needs the password too: the list of users is not a way around it", async () => {
  const path = `/api/users/${admin.id}`;
  const answer = await t.call("PATCH", path, { as: admin, json: { email: newAddress() } });
  expect([answer.status, (await problemOf(answer)).code]).toEqual([409, "user.own_email"]);
  const same = await t.call("PATCH", path, { as: admin, json: { email: admin.email.toUpperCase() } });
  expect(same.status).toBe(200);
});

describe("a link that was mailed", () => {
  interface Account {
    person: Person;
    /** The account's address after the change. */
    email: string;
  }
  const links: Record<string, (account: Account) => Promise<() => Promise<boolean>>> = {
    "of a reset": async ({ person }) => {
      await post("/api/auth/forgot-password", { email: person.email });
      const token = tokenOf(await newestTo(person.email, "/reset-password/"));
      return async () =>
        (await post("/api/auth/reset-password", { token, password: "roubada" })).status === 200;
    },
    "of an invitation": async ({ person }) => {
      const token = crypto.randomUUID();
      const hash = new Bun.CryptoHasher("sha256").update(token).digest("hex");
      const expiresAt = new Date(Date.now() + 7 * 24 * 3600_000).toISOString();
      await t.sql`insert into mailed_links (token_hash, user_id, purpose, expires_at)
        values (${hash}, ${person.id}, 'invitation', ${expiresAt})`;
      return async () =>
        (await post("/api/auth/reset-password", { token, password: "roubada" })).status === 200;
    },
    "of a new address": async ({ person }) => {
      const email = newAddress();
      await askFor(person, email);
      return async () => (await confirm(email)) === "/?email=confirmed";
    },
    "into a remembered device": async ({ person }) => {
      const token = crypto.randomUUID();
      const hash = new Bun.CryptoHasher("sha256").update(token).digest("hex");
      const expiresAt = new Date(Date.now() + 30 * 24 * 3600_000).toISOString();
      await t.sql`insert into trusted_devices (token_hash, user_id, expires_at)
        values (${hash}, ${person.id}, ${expiresAt})`;
      return async () => {
        const [row] =
          await t.sql`select count(*)::int as rows from trusted_devices where token_hash = ${hash}`;
        return row?.rows === 1;
      };
    },
  };
  const changes: Record<string, (account: Account) => Promise<void>> = {
    "the owner's new password": async ({ person }) => {
      const body = { currentPassword: person.password, newPassword: "outra senha" };
      expect((await patchProfile(person, body)).status).toBe(200);
    },
    "a reset by mail": async ({ person }) => {
      const token = crypto.randomUUID();
      const hash = new Bun.CryptoHasher("sha256").update(token).digest("hex");
      const expiresAt = new Date(Date.now() + 3600_000).toISOString();
      await t.sql`insert into mailed_links (token_hash, user_id, purpose, expires_at)
        values (${hash}, ${person.id}, 'reset', ${expiresAt})`;
      expect((await post("/api/auth/reset-password", { token, password: "outra senha" })).status).toBe(200);
    },
    "an address the owner confirms": async ({ person, email }) => {
      const token = crypto.randomUUID();
      const hash = new Bun.CryptoHasher("sha256").update(token).digest("hex");
      const expiresAt = new Date(Date.now() + 3600_000).toISOString();
      await t.sql`insert into mailed_links (token_hash, user_id, purpose, new_email, expires_at)
        values (${hash}, ${person.id}, 'email', ${email}, ${expiresAt})`;
      const confirmed = await t.call("GET", `/confirm-email/${token}`);
      expect(confirmed.headers.get("location")).toBe("/?email=confirmed");
    },
    "an admin's correction of the address": async ({ person, email }) => {
      const admin = await addPerson("Admin Corrige", "admin");
      const answer = await t.call("PATCH", `/api/users/${person.id}`, { as: admin, json: { email } });
      expect(answer.status).toBe(200);
    },
    "the operator's new password": async ({ person }) => {
      await operator("user", "set", "--email", person.email, "--password", "outra senha");
    },
    "the operator's new address": async ({ person, email }) => {
      await operator("user", "set", "--email", person.email, "--new-email", email);
    },
  };
  for (const [link, make] of Object.entries(links)) {
    for (const [change, carryOut] of Object.entries(changes)) {
      test(`${link} ends with ${change}`, async () => {
        const account = { person: await addPerson("Conta Alvo"), email: newAddress() };
        const opens = await make(account);
        await carryOut(account);
        expect(await opens()).toBe(false);
      });
    }
    test(`${link} lives on while nothing changes`, async () => {
      const opens = await make({ person: await addPerson("Conta Quieta"), email: newAddress() });
      expect(await opens()).toBe(true);
    });
  }

  test("to the invited person is sent again to the address that an admin corrects", async () => {
    const json = { name: "Endereço Errado", email: newAddress() };
    const answer = await t.call("POST", "/api/users", { as: admin, json });
    const { user } = (await answer.json()) as NewUserAnswer;
    const old = tokenOf(await newestTo(json.email, "/reset-password/"));
    const email = newAddress();
    await t.call("PATCH", `/api/users/${user.id}`, { as: admin, json: { email } });
    expect((await post("/api/auth/reset-password", { token: old, password: "roubada" })).status).toBe(400);
    const token = tokenOf(await newestTo(email, "/reset-password/"));
    expect((await post("/api/auth/reset-password", { token, password: "minha senha" })).status).toBe(200);
    expect((await logIn(email, "minha senha")).status).toBe(200);
  });

  test("and the news of a new address are in the language of who gets them, not of the admin", async () => {
    const [portuguese, english] = ["pt-BR", "en-US"].map((language) => ({ "accept-language": language }));
    const move = async (id: string, headers?: Record<string, string>) => {
      const email = newAddress();
      expect(
        (await t.call("PATCH", `/api/users/${id}`, { as: admin, json: { email }, headers })).status,
      ).toBe(200);
      return (await mailsTo(email)).map(({ subject }) => subject);
    };
    const person = await addPerson("Lê Português");
    await t.sql`update users set locale = 'pt-BR' where id = ${person.id}`;
    expect(await move(person.id, english)).toEqual(["Seu endereço de e-mail foi alterado"]);
    const json = { name: "Reads English", email: newAddress() };
    const answer = await t.call("POST", "/api/users", { as: admin, json, headers: english });
    const { user } = (await answer.json()) as NewUserAnswer;
    expect(await move(user.id, portuguese)).toContain("Your e-mail address was changed");
  });

  test("of a reset that was requested before the address changed is sent to nobody", async () => {
    const person = await addPerson("Fila Lenta");
    const email = newAddress();
    const before = await mailsTo(person.email);
    await t.sql.begin(async (tx) => {
      // The job looks the account up, then waits for its row.
      await tx`select id from users where id = ${person.id} for update`;
      await post("/api/auth/forgot-password", { email: person.email });
      await untilLockWaits(t.sql);
      await tx`update users set email = ${email} where id = ${person.id}`;
    });
    expect(await mailsTo(person.email)).toHaveLength(before.length);
    const [row] = await t.sql`select count(*)::int as rows from mailed_links where user_id = ${person.id}`;
    expect(row?.rows).toBe(0);
  });
});

/** The real command line, on this test's database. */
async function operator(...args: string[]): Promise<void> {
  const { databaseUrl = "", dataDir } = t.deps.config;
  const env = { DATABASE_URL: databaseUrl, DATA_DIR: join(dataDir, "operator") };
  const { code, complaint } = await runProgram(env, ...args);
  expect([code, complaint]).toEqual([0, ""]);
}

describe("what the operator sets", () => {
  test("ends the sessions and is in the audit, without an actor", async () => {
    const person = await addPerson("Pede Ajuda");
    const email = newAddress();
    await operator("user", "set", "--email", person.email, "--password", "outra senha", "--new-email", email);
    await operator("user", "set", "--email", email, "--two-factor", "off");
    expect((await t.call("GET", "/api/auth/me", { as: person })).status).toBe(401);
    expect((await logIn(email, "outra senha")).status).toBe(200);
    const rows = await t.sql`select action, actor_id, details from audit_events
      where account_id = ${person.id} and details->>'by' = 'operator' order by id`;
    const details = { by: "operator" };
    expect(rows.map((row) => ({ ...row }))).toEqual([
      { action: "email.changed", actor_id: null, details },
      { action: "password.changed", actor_id: null, details },
      { action: "two_factor.off", actor_id: null, details },
    ]);
  });
});

describe("the warning's link", () => {
  const stopTokenTo = async (email: string) => tokenOf(await newestTo(email, "/stop-email-change/"));

  test("stops a pending change, once", async () => {
    const person = await addPerson("Impede a Tempo");
    const email = newAddress();
    await askFor(person, email);
    const token = await stopTokenTo(person.email);
    const stopped = await stop(token);
    expect([stopped.status, await stopped.json()]).toEqual([200, { stopped: true, restored: false }]);
    expect(await confirm(email)).toBe("/?email=dead");
    const again = await stop(token);
    expect([again.status, (await problemOf(again)).code]).toEqual([400, "auth.dead_link"]);
    expect((await logIn(person.email, person.password)).status).toBe(200);
    expect(await actionsOf(person.id)).toContain("email.stopped");
  });

  test("works only as a stop link, and other links don't work as one", async () => {
    const person = await addPerson("Outro Tipo");
    const email = newAddress();
    await askFor(person, email);
    const token = await stopTokenTo(person.email);
    expect((await post("/api/auth/reset-password", { token, password: "roubada" })).status).toBe(400);
    expect((await t.call("GET", `/confirm-email/${token}`)).headers.get("location")).toBe("/?email=dead");
    expect((await stop(tokenOf(await newestTo(email, "/confirm-email/")))).status).toBe(400);
    expect((await stop(token)).status).toBe(200);
  });

  test("restores the address after the change took effect, whatever the password is by then", async () => {
    const person = await addPerson("Conta Tomada");
    const email = newAddress();
    await askFor(person, email);
    expect(await confirm(email)).toBe("/?email=confirmed");
    const thief = { ...person, email };
    const answer = await patchProfile(thief, { currentPassword: person.password, newPassword: "do ladrão" });
    const { token = "" } = (await answer.json()) as { token?: string };
    const stopped = await stop(await stopTokenTo(person.email));
    expect(await stopped.json()).toEqual({ stopped: true, restored: true });
    // The thief's browser and network are strangers again.
    expect(await t.sql`select 1 from known_places where user_id = ${person.id}`).toHaveLength(0);
    expect((await t.call("GET", "/api/auth/me", { as: { ...thief, token } })).status).toBe(401);
    for (const password of [person.password, "do ladrão"])
      for (const at of [person.email, email]) expect((await logIn(at, password)).status).toBe(401);
    const reset = tokenOf(await newestTo(person.email, "/reset-password/"));
    expect((await post("/api/auth/reset-password", { token: reset, password: "de volta" })).status).toBe(200);
    expect((await logIn(person.email, "de volta")).status).toBe(200);
    expect((await mailsTo(email)).at(-1)?.subject).toContain("changed back");
    expect(await actionsOf(person.id)).toContain("email.restored");
  });

  test("is one of at most twenty that an account has at once", async () => {
    const person = await addPerson("Pede Demais");
    const now = t.deps.clock.now().toISOString();
    await t.sql`insert into email_stops (token_hash, user_id, old_email, asked_at, expires_at)
      select ${`${person.id} `} || n, ${person.id}, ${person.email}, ${now}::timestamptz,
        ${now}::timestamptz + interval '7 days'
      from generate_series(1, 20) n`;
    const asked = await patchProfile(person, { email: newAddress(), currentPassword: person.password });
    expect([asked.status, asked.headers.get("retry-after")]).toEqual([429, String(24 * 3600)]);
  });

  test("works for seven days", async () => {
    const person = await addPerson("Sete Dias");
    await askFor(person, newAddress());
    const token = await stopTokenTo(person.email);
    t.advance(7 * 24 * 3600_000 + 1000);
    expect((await stop(token)).status).toBe(400);
    t.advance(-(7 * 24 * 3600_000 + 1000));
  });

  test("of the first address outlives that of the second: a thief who moves on can't take the account back", async () => {
    const person = await addPerson("Levada Longe");
    const [second, third] = [newAddress(), newAddress()];
    await askFor(person, second);
    await confirm(second);
    await askFor({ ...person, email: second }, third);
    await confirm(third);
    const thiefs = await stopTokenTo(second);
    const owners = await stopTokenTo(person.email);
    expect((await (await stop(thiefs)).json()).restored).toBe(true);
    expect((await (await stop(owners)).json()).restored).toBe(true);
    const [row] = await t.sql`select email from users where id = ${person.id}`;
    expect(row?.email).toBe(person.email);
  });

  test("of a thief's address is invalid once the first address has the account back", async () => {
    const person = await addPerson("Nunca Mais");
    const [second, third] = [newAddress(), newAddress()];
    await askFor(person, second);
    await confirm(second);
    await askFor({ ...person, email: second }, third);
    await confirm(third);
    const thiefs = await stopTokenTo(second);
    await stop(await stopTokenTo(person.email));
    expect((await stop(thiefs)).status).toBe(400);
  });

  test("can't be defeated by somebody else taking the old address meanwhile", async () => {
    const person = await addPerson("Endereço Livre");
    const email = newAddress();
    await askFor(person, email);
    await confirm(email);
    const taken = await post("/api/auth/register", {
      ...{
        name: "Quem Ocupa",
        email: person.email.toUpperCase(),
        cpfcnpj: "52998224725",
        password: "segredo",
      },
    });
    expect(taken.status).toBe(409);
    const other = await addPerson("Quem Muda");
    const asked = await patchProfile(other, { email: person.email, currentPassword: other.password });
    expect(asked.status).toBe(409);
    expect((await (await stop(await stopTokenTo(person.email))).json()).restored).toBe(true);
  });

  test("becomes invalid when an admin or the operator sets the address", async () => {
    for (const carryOut of [
      (person: Person, email: string) =>
        t.call("PATCH", `/api/users/${person.id}`, { as: admin, json: { email } }),
      (person: Person, email: string) =>
        operator("user", "set", "--email", person.email, "--new-email", email),
    ]) {
      const person = await addPerson("Palavra Final");
      await askFor(person, newAddress());
      const token = await stopTokenTo(person.email);
      await carryOut(person, newAddress());
      expect((await stop(token)).status).toBe(400);
    }
  });

  test("used at the same moment as the confirmation leaves the old address, in either order", async () => {
    for (let round = 0; round < 3; round++) {
      const person = await addPerson("Mesmo Instante");
      const email = newAddress();
      await askFor(person, email);
      const token = await stopTokenTo(person.email);
      await newestTo(email, "/confirm-email/");
      const [stopped] = await Promise.all([stop(token), confirm(email)]);
      expect(stopped.status).toBe(200);
      const [row] = await t.sql`select email from users where id = ${person.id}`;
      expect(row?.email).toBe(person.email);
    }
  });
});

describe("the link to a new address", () => {
  test("is not used up by a program that only checks or prefetches it", async () => {
    const person = await addPerson("Caixa Vigiada");
    const email = newAddress();
    await askFor(person, email);
    const { pathname } = linkIn(await newestTo(email, "/confirm-email/"));
    expect((await t.call("HEAD", pathname)).status).toBe(204);
    for (const [name, value] of [
      ["sec-purpose", "prefetch;prerender"],
      ["purpose", "prefetch"],
      ["x-moz", "prefetch"],
    ] as const)
      expect((await t.call("GET", pathname, { headers: { [name]: value } })).status).toBe(503);
    const [row] = await t.sql`select email from users where id = ${person.id}`;
    expect(row?.email).toBe(person.email);
    expect(await confirm(email)).toBe("/?email=confirmed");
  });

  test("comes in a mail that names the account in part and says what the old address can do", async () => {
    const person = await addPerson("Conta Alheia");
    const email = newAddress();
    await askFor(person, email);
    const mail = await newestTo(email, "/confirm-email/");
    expect(mail?.text).toContain("co…@example.com");
    expect(mail?.text).not.toContain(person.email);
    expect(mail?.text).toContain("do not open the link");
  });
});

describe("two people or requests at the same moment", () => {
  test("can't both confirm an address: one gets it, the other's link is invalid, and nobody sees a 500", async () => {
    const [one, two] = [await addPerson("Uma Pessoa"), await addPerson("Outra Pessoa")];
    const email = newAddress();
    await askFor(one, email);
    const first = linkIn(await newestTo(email, "/confirm-email/")).pathname;
    await askFor(two, email);
    const second = linkIn(await newestTo(email, "/confirm-email/")).pathname;
    const answers = await Promise.all([t.call("GET", first), t.call("GET", second)]);
    expect(answers.map((answer) => answer.headers.get("location")).sort()).toEqual([
      "/?email=confirmed",
      "/?email=dead",
    ]);
  });

  test("change the address once when they confirm by one link", async () => {
    const person = await addPerson("Clique Duplo");
    const email = newAddress();
    await askFor(person, email);
    const { pathname } = linkIn(await newestTo(email, "/confirm-email/"));
    const answers = await Promise.all([t.call("GET", pathname), t.call("GET", pathname)]);
    expect(answers.map((answer) => answer.headers.get("location")).sort()).toEqual([
      "/?email=confirmed",
      "/?email=dead",
    ]);
    expect((await actionsOf(person.id)).filter((action) => action === "email.changed")).toHaveLength(1);
  });

  test("can be a change of e-mail and a reset: the old password changes nothing after the reset", async () => {
    const person = await addPerson("Corrida do Reset");
    await post("/api/auth/forgot-password", { email: person.email });
    const token = tokenOf(await newestTo(person.email, "/reset-password/"));
    const email = newAddress();
    await Promise.all([
      post("/api/auth/reset-password", { token, password: "do dono" }),
      patchProfile(person, { email, currentPassword: person.password }),
    ]);
    expect((await logIn(person.email, "do dono")).status).toBe(200);
    const mail = await newestTo(email, "/confirm-email/");
    if (mail) expect(await confirm(email)).toBe("/?email=dead");
    const [row] = await t.sql`select count(*)::int as rows from mailed_links where user_id = ${person.id}`;
    expect(row?.rows).toBe(0);
  });

  test("set one password when they reset by one link", async () => {
    const person = await addPerson("Dois Resets");
    await post("/api/auth/forgot-password", { email: person.email });
    const token = tokenOf(await newestTo(person.email, "/reset-password/"));
    const answers = await Promise.all(
      ["primeira", "segunda"].map((password) => post("/api/auth/reset-password", { token, password })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
  });
});
