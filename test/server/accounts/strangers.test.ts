import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { createTestApp, type Person, problemOf, type TestApp } from "../../support/app/test-app.ts";
import { createVisitor, type Visitor } from "../../support/app/visitor.ts";
import { codeIn, readOutbox } from "../../support/mail/outbox.ts";

let t: TestApp;
beforeAll(async () => {
  const env = { PUBLIC_URL: "https://exames.example.com", TRUST_PROXY: "127.0.0.1" };
  t = await createTestApp({ env });
});
afterAll(() => t[Symbol.asyncDispose]());
beforeEach(() => {
  // Counts of one test have expired in the next.
  t.advance(2 * 3600_000);
});

const HOME = "198.51.100.7";

/** An account whose person has never signed in from anywhere but this machine. */
async function addPerson(name: string): Promise<Person> {
  t.deps.config.twoFactor = "off";
  const person = await t.addPerson(name);
  t.deps.config.twoFactor = "required";
  return person;
}

async function mailsTo(email: string) {
  await t.settle();
  return (await readOutbox(t.deps.config.dataDir)).filter((mail) => mail.to.includes(email));
}

async function newestCode(email: string): Promise<string> {
  return codeIn((await mailsTo(email)).at(-1));
}

const logIn = ({ email, password }: Person, at: Visitor) => at.post("/api/auth/login", { email, password });
const verify = ({ email }: Person, at: Visitor, code: string) =>
  at.post("/api/auth/verify-2fa", { email, code });

async function signInAt(person: Person, at: Visitor): Promise<void> {
  expect((await logIn(person, at)).status).toBe(200);
  expect((await verify(person, at, await newestCode(person.email))).status).toBe(200);
}

function wrong(code: string): string {
  return code === "000000" ? "000001" : "000000";
}

describe("strangers at the second step", () => {
  test("can't use up the tries of a sign-in that another address began", async () => {
    const person = await addPerson("Tem Código");
    const owner = createVisitor(t, HOME);
    await logIn(person, owner);
    const code = await newestCode(person.email);
    for (let i = 0; i < 12; i++) await verify(person, createVisitor(t, `203.0.113.${i}`), wrong(code));
    expect((await verify(person, owner, code)).status).toBe(200);
  });

  test("can't use up the tries of a browser behind their own address, nor replace its code", async () => {
    const person = await addPerson("Vizinha de Rede");
    const owner = createVisitor(t, HOME);
    await logIn(person, owner);
    const code = await newestCode(person.email);
    const stranger = createVisitor(t, HOME, { cookies: false });
    for (let i = 0; i < 12; i++) await verify(person, stranger, wrong(code));
    for (let i = 0; i < 5; i++) await stranger.post("/api/auth/resend-code", { email: person.email });
    expect((await verify(person, owner, code)).status).toBe(200);
  });

  test("can't have a code sent, and can't sign in with the right code", async () => {
    const person = await addPerson("Código Alheio");
    await logIn(person, createVisitor(t, HOME));
    const code = await newestCode(person.email);
    const stranger = createVisitor(t, "203.0.113.50");
    for (let i = 0; i < 30; i++) {
      const answer = await stranger.post("/api/auth/resend-code", { email: person.email });
      expect([answer.status, await answer.json()]).toEqual([200, { sent: true }]);
    }
    expect(await mailsTo(person.email)).toHaveLength(1);
    expect((await verify(person, stranger, code)).status).toBe(401);
  });

  test("are answered alike whether the account, or a sign-in of it, exists", async () => {
    const person = await addPerson("Existe Mesmo");
    await logIn(person, createVisitor(t, HOME));
    const answersFor = async (email: string, address: string) => {
      const stranger = createVisitor(t, address);
      const seen: unknown[] = [];
      for (let i = 0; i < 11; i++) {
        const answer = await stranger.post("/api/auth/verify-2fa", { email, code: "123456" });
        seen.push([answer.status, (await problemOf(answer)).code]);
      }
      for (const path of ["resend-code", "forgot-password"]) {
        const answer = await stranger.post(`/api/auth/${path}`, { email });
        seen.push([answer.status, await answer.text()]);
      }
      return seen;
    };
    expect(await answersFor("ninguem@example.com", "203.0.113.61")).toEqual(
      await answersFor(person.email, "203.0.113.62"),
    );
  });

  test("can send so many codes an hour for addresses that do not sign in, and no sign-in of theirs counts or waits", async () => {
    const person = await addPerson("Mesma Rede");
    const stranger = createVisitor(t, HOME, { cookies: false });
    const audited = async () => (await t.sql`select count(*)::int as rows from audit_events`)[0]?.rows;
    await t.sql`insert into throttles (name, key, window_ends_at, failures) values
      ('code:stray-address', ${new Bun.CryptoHasher("sha256").update(HOME).digest("hex")},
        ${new Date(t.deps.clock.now().getTime() + 60_000).toISOString()}, 299)`;
    const before = await audited();
    const send = (name: string) =>
      stranger.post("/api/auth/verify-2fa", { email: `${name}@example.com`, code: "123456" });
    const statuses = [(await send("um")).status, (await send("dois")).status, (await send("tres")).status];
    expect(statuses).toEqual([401, 429, 429]);
    expect(await audited()).toBe(before + 1);
    await signInAt(person, createVisitor(t, HOME));
  });

  test("who know the password have twenty wrong codes an hour together, and the owner's browser can go on", async () => {
    const person = await addPerson("Senha Vazada");
    const owner = createVisitor(t, HOME);
    await signInAt(person, owner);
    const statuses: number[] = [];
    for (let i = 0; i < 7; i++) {
      const thief = createVisitor(t, `203.0.113.${100 + i}`);
      await logIn(person, thief);
      const code = await newestCode(person.email);
      for (let tries = 0; tries < 4; tries++)
        statuses.push((await verify(person, thief, wrong(code))).status);
    }
    expect(statuses.filter((status) => status === 401)).toHaveLength(20);
    await signInAt(person, owner);
  });
});

describe("a sign-in", () => {
  test("goes on with its e-mail and code alone from the same address", async () => {
    const person = await addPerson("Sem Cookies");
    const client = createVisitor(t, HOME, { cookies: false });
    await logIn(person, client);
    expect((await verify(person, client, await newestCode(person.email))).status).toBe(200);
  });

  test("goes on in its browser when that changes its address", async () => {
    const jar = await addPerson("Troca de Rede");
    const answer = await t.call("POST", "/api/auth/login", {
      json: { email: jar.email, password: jar.password },
      headers: { "x-forwarded-for": HOME },
    });
    const [line = ""] = answer.headers.getSetCookie();
    expect(line).toStartWith("__Host-browser=");
    for (const flag of ["HttpOnly", "Secure", "SameSite=Strict", "Path=/"]) expect(line).toContain(flag);
    const moved = await t.call("POST", "/api/auth/verify-2fa", {
      json: { email: jar.email, code: await newestCode(jar.email) },
      headers: { "x-forwarded-for": "192.0.2.99", cookie: line.split(";")[0] ?? "" },
    });
    expect(moved.status).toBe(200);
  });

  test("over https ignores a cookie that another host of the domain could plant", async () => {
    const person = await addPerson("Biscoito Plantado");
    const planted = `browser=${"A".repeat(43)}`;
    const send = (path: string, json: unknown, address: string) =>
      t.call("POST", path, { json, headers: { "x-forwarded-for": address, cookie: planted } });
    const { email, password } = person;
    await send("/api/auth/login", { email, password }, HOME);
    const code = await newestCode(email);
    expect((await send("/api/auth/verify-2fa", { email, code }, "192.0.2.98")).status).toBe(401);
    expect((await send("/api/auth/verify-2fa", { email, code }, HOME)).status).toBe(200);
  });

  test("over plain http knows its browser by a plain cookie", async () => {
    await using plain = await createTestApp({ jobs: false });
    const { email, password } = await plain.addPerson("Sem TLS");
    const answer = await plain.call("POST", "/api/auth/login", { json: { email, password } });
    const [line = ""] = answer.headers.getSetCookie();
    expect(line).toStartWith("browser=");
    expect(line).not.toContain("Secure");
  });

  test("that waits for its code ends when its password changes", async () => {
    const person = await addPerson("Troca no Meio");
    const owner = createVisitor(t, HOME);
    await logIn(person, owner);
    const code = await newestCode(person.email);
    const changed = await t.call("PATCH", "/api/users/profile", {
      as: person,
      json: {
        name: "Troca no Meio",
        email: person.email,
        currentPassword: person.password,
        newPassword: "outra senha",
      },
    });
    expect(changed.status).toBe(200);
    expect((await verify(person, owner, code)).status).toBe(401);
  });

  test("opens for one of two people who send its code at the same moment", async () => {
    const person = await addPerson("Dois de Uma Vez");
    const owner = createVisitor(t, HOME);
    await logIn(person, owner);
    const code = await newestCode(person.email);
    const both = await Promise.all([verify(person, owner, code), verify(person, owner, code)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 401]);
  });
});

describe("guessing passwords", () => {
  const guess = (email: string, at: Visitor) => at.post("/api/auth/login", { email, password: "chute" });

  /** As many guesses from many networks as strangers have together, but for the last. */
  async function storm(email: string): Promise<void> {
    expect((await guess(email, createVisitor(t, "203.0.113.1"))).status).toBe(401);
    await t.sql`update throttles set failures = 99 where name = 'login:account' and failures = 1`;
  }

  test("by strangers makes strangers wait, not the owner's browser, wherever it is, nor the owner's address", async () => {
    const person = await addPerson("Alvo de Botnet");
    t.deps.config.twoFactor = "off";
    const owner = createVisitor(t, HOME);
    expect((await logIn(person, owner)).status).toBe(200);
    await storm(person.email);
    expect((await guess(person.email, createVisitor(t, "203.0.113.2"))).status).toBe(401);
    expect((await logIn(person, createVisitor(t, "192.0.2.1"))).status).toBe(429);
    expect((await logIn(person, owner)).status).toBe(200);
    expect((await logIn(person, createVisitor(t, HOME))).status).toBe(200);
    t.advance(16 * 60_000);
    expect((await logIn(person, createVisitor(t, "192.0.2.1"))).status).toBe(200);
  });

  test("is none when it is right: people behind one address sign in at once, again and again, and nothing is counted", async () => {
    await t.sql`delete from throttles`;
    const people = await Promise.all(Array.from({ length: 8 }, (_, at) => t.addPerson(`Clínica ${at}`)));
    for (let times = 0; times < 3; times++) {
      const answers = await Promise.all(
        people.map(({ email, password }) => t.call("POST", "/api/auth/login", { json: { email, password } })),
      );
      expect(answers.map(({ status }) => status)).toEqual(people.map(() => 200));
    }
    expect(await t.sql`select name from throttles where name like 'login:%' and failures > 0`).toBeEmpty();
  });

  test("from the owner's own address shuts out that address, not the owner's browser", async () => {
    const person = await addPerson("Divide a Rede");
    t.deps.config.twoFactor = "off";
    const owner = createVisitor(t, HOME);
    await logIn(person, owner);
    const stranger = createVisitor(t, HOME, { cookies: false });
    for (let i = 0; i < 11; i++) await guess(person.email, stranger);
    expect((await logIn(person, stranger)).status).toBe(429);
    expect((await logIn(person, owner)).status).toBe(200);
  });

  test("beyond the limit takes no try from the others on the network", async () => {
    const [person, neighbour] = [await addPerson("Muito Tentada"), await addPerson("Da Mesma Rede")];
    t.deps.config.twoFactor = "off";
    const stranger = createVisitor(t, "203.0.113.77", { cookies: false });
    for (let i = 0; i < 10; i++) expect((await guess(person.email, stranger)).status).toBe(401);
    await t.sql`update throttles set failures = 299 where name = 'login:address' and failures = 10`;
    for (let i = 0; i < 3; i++) expect((await guess(person.email, stranger)).status).toBe(429);
    expect((await logIn(neighbour, createVisitor(t, "203.0.113.77"))).status).toBe(200);
  });

  test("in the owner's browser gets 429 after ten, as anywhere", async () => {
    const person = await addPerson("Aba Aberta");
    t.deps.config.twoFactor = "off";
    const owner = createVisitor(t, HOME);
    await logIn(person, owner);
    const statuses: number[] = [];
    for (let i = 0; i < 11; i++) statuses.push((await guess(person.email, owner)).status);
    expect(statuses).toEqual([...Array(10).fill(401), 429]);
  });

  test("is counted for an IPv6 /64 as one address, and for an IPv4 address in any notation", async () => {
    const person = await addPerson("Tem IPv6");
    t.deps.config.twoFactor = "off";
    const statuses: number[] = [];
    for (let i = 0; i < 12; i++)
      statuses.push((await guess(person.email, createVisitor(t, `2001:db8:7:1:${i}::${i}`))).status);
    expect(statuses).toEqual([...Array(10).fill(401), 429, 429]);
    expect((await logIn(person, createVisitor(t, "2001:db8:7:2::1"))).status).toBe(200);
    const spelled = ["::ffff:192.0.2.77", "::FFFF:C000:24D", "192.0.2.77", "64:ff9b::192.0.2.77"];
    for (let i = 0; i < 12; i++)
      statuses.push((await guess(person.email, createVisitor(t, spelled[i % 4] ?? ""))).status);
    expect(statuses.slice(12)).toEqual([...Array(10).fill(401), 429, 429]);
  });

  test("gets the same answers for an account that does not exist, beyond the limit too", async () => {
    await storm("nao.existe@example.com");
    expect((await guess("nao.existe@example.com", createVisitor(t, "203.0.113.2"))).status).toBe(401);
    const answer = await guess("nao.existe@example.com", createVisitor(t, "192.0.2.1"));
    expect([answer.status, (await problemOf(answer)).code]).toEqual([429, "throttled"]);
  });

  test("with a password that is changed at the same moment opens no session that outlives it", async () => {
    const person = await addPerson("Corrida de Senha");
    t.deps.config.twoFactor = "off";
    const change = t.call("PATCH", "/api/users/profile", {
      as: person,
      json: {
        name: "Corrida de Senha",
        email: person.email,
        currentPassword: person.password,
        newPassword: "outra senha",
      },
    });
    const logins = Array.from({ length: 6 }, (_, i) => logIn(person, createVisitor(t, `192.0.2.${i}`)));
    const answers = await Promise.all(logins);
    expect((await change).status).toBe(200);
    for (const answer of answers.filter(({ status }) => status === 200)) {
      const { token } = (await answer.json()) as { token: string };
      expect((await t.call("GET", "/api/auth/me", { as: { ...person, token } })).status).toBe(401);
    }
  });
});

describe("the record of tries", () => {
  test("is bounded for each account and swept", async () => {
    const person = await addPerson("Viaja Muito");
    t.deps.config.twoFactor = "off";
    for (let i = 0; i < 24; i++) {
      t.advance(1000);
      expect((await logIn(person, createVisitor(t, `198.51.100.${i}`))).status).toBe(200);
    }
    const kept = await t.sql`select kind, count(*)::int as places from known_places
      where user_id = ${person.id} group by kind order by kind`;
    expect(kept.map((row) => ({ ...row }))).toEqual([
      { kind: "browser", places: 20 },
      { kind: "network", places: 20 },
    ]);
    t.deps.config.twoFactor = "required";
    for (let i = 0; i < 5; i++) await logIn(person, createVisitor(t, HOME));
    const [logins] =
      await t.sql`select count(*)::int as rows from pending_logins where user_id = ${person.id}`;
    expect(logins?.rows).toBe(5);
  });
});
