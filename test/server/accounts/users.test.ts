import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type {
  CurrentUser,
  NewUserAnswer,
  ProfileAnswer,
  SignedInUser,
} from "../../../src/shared/api/users.ts";
import { isInvitationToken } from "../../../src/shared/rules/invitation-token.ts";
import { createTestApp, type Person, problemOf, type TestApp } from "../../support/app/test-app.ts";
import { linkIn, readOutbox } from "../../support/mail/outbox.ts";
import { untilLockWaits } from "../../support/until.ts";
import { sampleZip } from "../../support/zip/sample-zip.ts";

let t: TestApp;
let admin: Person;
beforeAll(async () => {
  t = await createTestApp();
  admin = await t.addPerson("Admin Chefe", { role: "admin" });
}, 240_000);
afterAll(() => t[Symbol.asyncDispose]());

const json = async <T>(answer: Response) => (await answer.json()) as T;
const signIn = (email: string, password: string) =>
  t.call("POST", "/api/auth/login", { json: { email, password } });
const patch = (as: Person, path: string, body: unknown) => t.call("PATCH", path, { as, json: body });

async function mailsTo(email: string) {
  await t.settle();
  return (await readOutbox(t.deps.config.dataDir)).filter((mail) => mail.to.includes(email));
}

describe("one's own profile", () => {
  test("takes a new name at once", async () => {
    const person = await t.addPerson("Nome Antigo");
    const answer = await patch(person, "/api/users/profile", { name: "Nome Novo", email: person.email });
    expect((await json<ProfileAnswer>(answer)).user.name).toBe("Nome Novo");
  });

  test("takes a new password with the current one; every session ends and the answer has a new one", async () => {
    const person = await t.addPerson("Troca Senha");
    const change = { name: "Troca Senha", email: person.email };
    const wrong = await patch(person, "/api/users/profile", {
      ...change,
      currentPassword: "errada",
      newPassword: "novíssima",
    });
    expect(wrong.status).toBe(400);
    expect((await problemOf(wrong)).code).toBe("auth.wrong_current_password");
    const half = await patch(person, "/api/users/profile", { ...change, newPassword: "novíssima" });
    expect((await problemOf(half)).violations?.[0]).toMatchObject({
      path: "newPassword",
      code: "validation.passwordChangeInvalid",
    });
    const done = await patch(person, "/api/users/profile", {
      ...change,
      currentPassword: person.password,
      newPassword: "novíssima",
    });
    const { token } = await json<ProfileAnswer>(done);
    expect((await t.call("GET", "/api/auth/me", { as: person })).status).toBe(401);
    expect((await t.call("GET", "/api/auth/me", { as: { ...person, token: token ?? "" } })).status).toBe(200);
    expect((await signIn(person.email, "novíssima")).status).toBe(200);
  });

  test("limits guesses of the current password with 429", async () => {
    const person = await t.addPerson("Aba Esquecida");
    const guess = {
      name: "Aba Esquecida",
      email: person.email,
      currentPassword: "chute",
      newPassword: "novíssima",
    };
    const answers = await Promise.all(
      Array.from({ length: 14 }, () => patch(person, "/api/users/profile", guess)),
    );
    expect(answers.filter((answer) => answer.status === 400)).toHaveLength(10);
    expect(answers.filter((answer) => answer.status === 429)).toHaveLength(4);
  });

  test("takes a new e-mail when the link mailed to it is opened; the old address is told at once", async () => {
    const person = await t.addPerson("Muda Email");
    const newEmail = "novo.endereco@example.com";
    const answer = await json<ProfileAnswer>(
      await patch(person, "/api/users/profile", {
        name: "Muda Email",
        email: newEmail,
        currentPassword: person.password,
      }),
    );
    expect(answer).toMatchObject({ pendingEmail: newEmail, user: { email: person.email } });
    expect(await mailsTo(person.email)).toHaveLength(1);
    const [mail] = await mailsTo(newEmail);
    expect((await signIn(newEmail, person.password)).status).toBe(401);
    const { pathname } = linkIn(mail);
    const confirmed = await t.call("GET", pathname);
    expect([confirmed.status, confirmed.headers.get("location")]).toEqual([303, "/?email=confirmed"]);
    expect((await signIn(newEmail, person.password)).status).toBe(200);
    expect((await t.call("GET", pathname)).headers.get("location")).toBe("/?email=dead");
  });

  test("refuses somebody else's e-mail as a conflict", async () => {
    const person = await t.addPerson("Quer Alheio");
    const answer = await patch(person, "/api/users/profile", {
      name: "Quer Alheio",
      email: admin.email.toUpperCase(),
      currentPassword: person.password,
    });
    expect(answer.status).toBe(409);
  });

  test("records when the terms were accepted first", async () => {
    const person = await t.addPerson("Aceita Termos");
    expect((await t.call("POST", "/api/users/accept-terms", { as: person })).status).toBe(200);
    const me = await json<CurrentUser>(await t.call("GET", "/api/auth/me", { as: person }));
    const first = me.termsAcceptedAt ?? "";
    expect(Date.parse(first)).toBeGreaterThan(0);
    t.advance(60_000);
    const again = await json<{ termsAcceptedAt: string }>(
      await t.call("POST", "/api/users/accept-terms", { as: person }),
    );
    expect(again.termsAcceptedAt).toBe(first);
    const still = await json<CurrentUser>(await t.call("GET", "/api/auth/me", { as: person }));
    expect(still.termsAcceptedAt).toBe(first);
    const records = await t.sql`
      select 1 from audit_events where actor_id = ${person.id} and action = 'terms.accepted'`;
    expect(records).toHaveLength(1);
  });
});

describe("an account the admin makes", () => {
  test("gets a link for its person to choose the password, once", async () => {
    const email = "convidada@example.com";
    const made = await t.call("POST", "/api/users", {
      as: admin,
      json: { name: "Convidada", email, role: "doctor" },
    });
    expect(made.status).toBe(201);
    const { user, invitationUrl } = await json<NewUserAnswer>(made);
    expect(user).toMatchObject({ role: "doctor", expiresAt: null, isTrial: false });
    const [mail] = await mailsTo(email);
    expect(linkIn(mail).href).toBe(invitationUrl ?? "");
    expect((await signIn(email, "")).status).toBe(400);
    const token = invitationUrl?.split("/").at(-1);
    expect(isInvitationToken(token ?? "")).toBe(true);
    const chosen = await t.call("POST", "/api/auth/reset-password", {
      json: { token, password: "minha senha" },
    });
    expect(chosen.status).toBe(200);
    expect((await json<SignedInUser>(await signIn(email, "minha senha"))).role).toBe("doctor");
    const again = await t.call("POST", "/api/auth/reset-password", {
      json: { token, password: "outra senha" },
    });
    expect(again.status).toBe(400);
  });

  test("has an active subscription at once", async () => {
    const json_ = { name: "Cortesia Ativa", email: "cortesia@example.com" };
    const { user } = await json<NewUserAnswer>(
      await t.call("POST", "/api/users", { as: admin, json: json_ }),
    );
    const [row] =
      await t.sql`select p.slug, s.status from subscriptions s join plans p on p.id = s.plan_id where s.user_id = ${user.id}`;
    expect(row).toEqual({ slug: "cortesia", status: "active" });
  });

  test("with a taken or missing e-mail is refused", async () => {
    const taken = await t.call("POST", "/api/users", {
      as: admin,
      json: { name: "De Novo", email: admin.email },
    });
    expect(taken.status).toBe(409);
    expect((await t.call("POST", "/api/users", { as: admin, json: { name: "Sem Email" } })).status).toBe(400);
  });
});

describe("an admin's change", () => {
  test("that removes the authorisation ends the sessions at once; restoring it allows sign-in again", async () => {
    const person = await t.addPerson("Bloqueada");
    expect((await patch(admin, `/api/users/${person.id}`, { isAuthorized: false })).status).toBe(200);
    expect((await t.call("GET", "/api/auth/me", { as: person })).status).toBe(401);
    expect((await signIn(person.email, person.password)).status).toBe(403);
    await patch(admin, `/api/users/${person.id}`, { isAuthorized: true });
    expect((await signIn(person.email, person.password)).status).toBe(200);
  });

  test("of the expiry closes uploads and lists, and opens them again", async () => {
    const person = await t.addPerson("Vence Hoje");
    const past = new Date(Date.now() - 1000).toISOString();
    const changed = await json<CurrentUser>(
      await patch(admin, `/api/users/${person.id}`, { expiresAt: past }),
    );
    expect(Date.parse(changed.expiresAt ?? "")).toBe(Date.parse(past));
    expect((await t.call("GET", "/api/studies", { as: person })).status).toBe(403);
    await patch(admin, `/api/users/${person.id}`, { expiresAt: null });
    expect((await t.call("GET", "/api/studies", { as: person })).status).toBe(200);
  });

  test("of the e-mail is immediate and announced to both addresses", async () => {
    const person = await t.addPerson("Correção");
    const email = "corrigido@example.com";
    await patch(admin, `/api/users/${person.id}`, { email });
    expect((await signIn(email, person.password)).status).toBe(200);
    expect(await mailsTo(person.email)).toHaveLength(1);
    expect(await mailsTo(email)).toHaveLength(1);
    const taken = await patch(admin, `/api/users/${person.id}`, { email: admin.email });
    expect(taken.status).toBe(409);
  });

  test("of an unknown account is 404, of a path that is not an id too", async () => {
    expect(
      (await patch(admin, "/api/users/01890000-0000-7000-8000-000000000000", { name: "Ninguém" })).status,
    ).toBe(404);
    expect((await patch(admin, "/api/users/abc", { name: "Ninguém" })).status).toBe(404);
  });
});

describe("the list of accounts", () => {
  const list = async (query: string) => {
    const answer = await t.call("GET", `/api/users?${query}`, { as: admin });
    expect(answer.status).toBe(200);
    const users = await json<CurrentUser[]>(answer);
    return {
      users,
      names: users.map(({ name }) => name),
      total: Number(answer.headers.get("X-Total-Count")),
    };
  };

  test("has each account on exactly one page, and says how many there are", async () => {
    for (const number of [1, 2, 3]) await t.addPerson(`Página ${number}`);
    const all = await list("");
    expect(all.total).toBe(all.users.length);
    const ids: string[] = [];
    for (let offset = 0; offset < all.total; offset += 2) {
      const page = await list(`limit=2&offset=${offset}`);
      expect(page.total).toBe(all.total);
      ids.push(...page.users.map(({ id }) => id));
    }
    expect(ids).toEqual(all.users.map(({ id }) => id));
  });

  test("is searched by name or e-mail without case and accents, by role, status and id", async () => {
    const name = "Álvaro 100% Çelik";
    const person = await t.addPerson("Alvo da Busca", { role: "doctor" });
    await patch(admin, `/api/users/${person.id}`, { name });
    expect((await list("search=ALVARO")).names).toEqual([name]);
    expect((await list("search=100%25 celik&role=doctor")).names).toEqual([name]);
    expect((await list("search=100%25 celik&role=lab")).names).toEqual([]);
    expect((await list("search=100_")).names).toEqual([]);
    expect((await list(`search=${encodeURIComponent(person.email.toUpperCase())}`)).total).toBe(1);
    expect((await list(`id=${person.id}`)).names).toEqual([name]);
    await patch(admin, `/api/users/${person.id}`, { isAuthorized: false });
    expect((await list("search=alvaro&status=authorized")).names).toEqual([]);
    expect((await list("search=alvaro&status=unauthorized")).names).toEqual([name]);
    expect((await t.call("GET", "/api/users?limit=0", { as: admin })).status).toBe(400);
    for (const other of ["がくと", "שָׁלוֹם"]) {
      await patch(admin, `/api/users/${person.id}`, { name: other });
      expect((await list(`search=${encodeURIComponent(other)}`)).names).toEqual([other]);
    }
  });
});

describe("deleting an account", () => {
  test("removes its studies from view and store, ends its sessions, and keeps the audit", async () => {
    const person = await t.addPerson("Vai Embora");
    const { studies } = await t.store(person, sampleZip({ study: "900" }));
    const objects = async () =>
      (await readdir(join(t.deps.config.dataDir, "objects"))).filter((name) => !name.startsWith("~"));
    const before = (await objects()).length;
    expect((await t.call("DELETE", `/api/users/${person.id}`, { as: admin })).status).toBe(200);
    expect((await t.call("GET", "/api/auth/me", { as: person })).status).toBe(401);
    expect((await t.call("GET", `/api/studies/${studies[0]?.id}/status`, { as: admin })).status).toBe(404);
    await t.settle();
    expect(await objects()).toHaveLength(before - 1);
    const [audit] =
      await t.sql`select count(*)::int as rows from audit_events where account_id = ${person.id} and action = 'user.deleted'`;
    expect(audit?.rows).toBe(1);
  });

  test("never removes the last admin, by deletion, demotion or block, not even two at the same time", async () => {
    await using alone = await createTestApp({ jobs: false });
    const first = await alone.addPerson("Primeira Admin", { role: "admin" });
    const call = (method: string, id: string, body?: unknown) =>
      alone.call(method, `/api/users/${id}`, { as: first, json: body });
    expect((await call("DELETE", first.id)).status).toBe(409);
    expect((await call("PATCH", first.id, { role: "user" })).status).toBe(409);
    expect((await call("PATCH", first.id, { isAuthorized: false })).status).toBe(409);
    const second = await alone.addPerson("Segunda Admin", { role: "admin" });
    const both = await Promise.all([
      alone.call("PATCH", `/api/users/${first.id}`, { as: second, json: { role: "user" } }),
      alone.call("PATCH", `/api/users/${second.id}`, { as: first, json: { role: "user" } }),
    ]);
    expect(both.map((answer) => answer.status).sort()).not.toEqual([200, 200]);
    const [left] = await alone.sql`select count(*)::int as admins from users where role = 'admin'`;
    expect(left?.admins).toBeGreaterThan(0);
  });

  test("allows one of two admins who leave at the same moment, and refuses the other", async () => {
    await using alone = await createTestApp({ jobs: false });
    const pair = [
      await alone.addPerson("Primeira", { role: "admin" }),
      await alone.addPerson("Segunda", { role: "admin" }),
    ];
    const leave = (as: Person) =>
      alone.call("POST", "/api/users/delete-own", { as, json: { password: as.password } });
    let answers: (Response | Promise<Response>)[] = [];
    await alone.sql.begin(async (tx) => {
      await tx`select id from users for update`;
      answers = pair.map(async (as) => await leave(as));
      await untilLockWaits(alone.sql, 2);
    });
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 409]);
  });
});

test("an account without a subscription gets one when an admin gives it an end, and by no other change", async () => {
  const person = await t.addPerson("Sem Assinatura");
  await t.sql`delete from subscriptions where user_id = ${person.id}`;
  const has = async () => (await t.call("GET", "/api/subscriptions/my-subscription", { as: person })).status;
  for (const change of [{ name: "Outro Nome" }, { isAuthorized: true }, { name: "Outro", expiresAt: null }]) {
    expect((await patch(admin, `/api/users/${person.id}`, change)).status).toBe(200);
    expect(await has()).toBe(404);
  }
  const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
  await patch(admin, `/api/users/${person.id}`, { expiresAt });
  expect(await has()).toBe(200);
});
