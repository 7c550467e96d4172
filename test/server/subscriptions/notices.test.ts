import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { sendEndNotices } from "../../../src/server/features/subscriptions/send-end-notices.ts";
import { bannerFor } from "../../../src/shared/rules/subscription.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";
import { codeIn, readOutbox } from "../../support/mail/outbox.ts";

setDefaultTimeout(240_000);

const DAY_MS = 24 * 3600_000;
const PUBLIC_URL = "https://exames.example";

let t: TestApp;
beforeAll(async () => {
  t = await createTestApp({ env: { PUBLIC_URL } });
});
afterAll(() => t[Symbol.asyncDispose]());

async function mailsTo(person: Person) {
  await t.settle();
  return (await readOutbox(t.deps.config.dataDir)).filter((mail) => mail.to.includes(person.email));
}
/** How many mails somebody has after the job ran. */
async function afterRun(person: Person): Promise<number> {
  await sendEndNotices(t.deps);
  return (await mailsTo(person)).length;
}

async function endIn(person: Person, days: number): Promise<Date> {
  const endsAt = new Date(t.deps.clock.now().getTime() + days * DAY_MS);
  await t.sql`update subscriptions set expires_at = ${endsAt.toISOString()} where user_id = ${person.id}`;
  return endsAt;
}

async function ending(days: number, name: string, options?: Parameters<TestApp["addPerson"]>[1]) {
  const person = await t.addPerson(name, options);
  return { person, endsAt: await endIn(person, days) };
}

const brazil = (at: Date, locale = "en-US") =>
  new Intl.DateTimeFormat(locale, {
    dateStyle: locale === "pt-BR" ? "short" : "medium",
    timeZone: "America/Sao_Paulo",
  }).format(at);

describe("a person whose subscription ends", () => {
  test("is told a week before, three days before and when it has ended, each once, as the banner counts", async () => {
    const { person, endsAt } = await ending(8, "Avisada a Tempo");
    const kinds: (string | undefined)[] = [];
    for (let half = 0; half < 34; half++) {
      const before = (await mailsTo(person)).length;
      const sent = (await afterRun(person)) - before;
      const banner = bannerFor(endsAt, t.deps.clock.now());
      if (sent > 0) kinds.push(banner?.kind);
      expect(sent).toBeLessThanOrEqual(1);
      t.advance(DAY_MS / 2);
    }
    expect(kinds).toEqual(["reminder", "expiring", "expired"]);
    const mails = await mailsTo(person);
    expect(mails.map(({ subject }) => subject)).toEqual([
      `Your Essencial subscription ends on ${brazil(endsAt)}`,
      `Your Essencial subscription ends on ${brazil(endsAt)}`,
      "Your Essencial subscription has ended",
    ]);
    expect(mails[0]?.text).toContain(`ends on ${brazil(endsAt)}, in 7 days.`);
    expect(mails[1]?.text).toContain(`ends on ${brazil(endsAt)}, in 3 days.`);
    expect(mails[2]?.text).toContain(`ended on ${brazil(endsAt)}.`);
    expect(mails[2]?.text).toContain("they are deleted one year after this date");
    for (const { text } of mails) expect(text).toContain(`${PUBLIC_URL}/his/subscription`);
  });

  test("is told late rather than never, but only what is still true, and nothing of an end a week ago", async () => {
    const { person: late } = await ending(1.5, "Avisada Tarde");
    const { person: ended } = await ending(-6.9, "Já Terminou");
    const { person: old } = await ending(-7.1, "Faz Tempo");
    expect(await Promise.all([late, ended, old].map((person) => afterRun(person)))).toEqual([1, 1, 0]);
    expect((await mailsTo(late))[0]?.text).toContain("in 2 days.");
    t.advance(DAY_MS);
    expect(await afterRun(late)).toBe(1);
  });

  test("is told once, even if several nodes run at the same time", async () => {
    const people = [];
    for (let i = 0; i < 5; i++) people.push((await ending(2, "Um Aviso Só")).person);
    await Promise.all(Array.from({ length: 4 }, () => sendEndNotices(t.deps)));
    for (const person of people) expect(await mailsTo(person)).toHaveLength(1);
  });

  test("is told again of the next end after a renewal, and nothing of the postponed end", async () => {
    const { person } = await ending(2, "Renovada");
    expect(await afterRun(person)).toBe(1);
    await endIn(person, 40);
    t.advance(5 * DAY_MS);
    expect(await afterRun(person)).toBe(1);
    t.advance(29 * DAY_MS);
    expect(await afterRun(person)).toBe(2);
  });

  test("is told of a trial in words of its own, in the language of the last sign-in", async () => {
    const english = await ending(3, "Trial in English", { plan: "avaliacao" });
    const portuguese = await ending(3, "Teste em Português", { plan: "avaliacao" });
    const json = { email: portuguese.person.email, password: portuguese.person.password };
    await t.call("POST", "/api/auth/login", { json, headers: { "accept-language": "pt-BR,pt;q=0.9" } });
    await sendEndNotices(t.deps);
    const [mail] = await mailsTo(english.person);
    expect(mail?.subject).toBe(`Your Exameteca trial ends on ${brazil(english.endsAt)}`);
    expect(mail?.text).toContain("Choose a plan to keep opening and sending exams:");
    const [carta] = await mailsTo(portuguese.person);
    expect(carta?.subject).toBe(
      `Seu período de avaliação da Exameteca termina em ${brazil(portuguese.endsAt, "pt-BR")}`,
    );
    expect(carta?.text).toMatch(/termina em \d{2}\/\d{2}\/\d{4}, daqui a 3 dias\. Escolha um plano/);
    t.advance(4 * DAY_MS);
    await sendEndNotices(t.deps);
    expect((await mailsTo(portuguese.person)).at(-1)?.subject).toBe(
      "Seu período de avaliação da Exameteca terminou",
    );
  });

  test("is told the day by Brazil's clock", async () => {
    const { person, endsAt } = await ending(2, "Meia-Noite");
    // One in the morning in London is the evening before in São Paulo.
    const at = new Date(`${endsAt.toISOString().slice(0, 10)}T01:00:00Z`);
    await t.sql`update subscriptions set expires_at = ${at.toISOString()} where user_id = ${person.id}`;
    await t.sql`update users set locale = 'pt-BR' where id = ${person.id}`;
    await sendEndNotices(t.deps);
    const [year, month, day] = new Date(at.getTime() - DAY_MS).toISOString().slice(0, 10).split("-");
    expect((await mailsTo(person))[0]?.subject).toBe(
      `Sua assinatura Essencial termina em ${day}/${month}/${year}`,
    );
  });

  test("is told nothing as an admin, without an end, before a payment, or without authorisation", async () => {
    const { person: admin } = await ending(2, "Manda em Tudo", { role: "admin" });
    const endless = await t.addPerson("Sem Fim");
    const { person: pending } = await ending(2, "Não Pagou");
    await t.sql`update subscriptions set status = 'pending' where user_id = ${pending.id}`;
    const { person: blocked } = await ending(2, "Bloqueada");
    await t.sql`update users set is_authorized = false where id = ${blocked.id}`;
    const { person: courtesy } = await ending(-1, "Cortesia Acaba", { plan: "cortesia" });
    await sendEndNotices(t.deps);
    for (const person of [admin, endless, pending, blocked]) expect(await mailsTo(person)).toEqual([]);
    // Cortesia ends like any other, but takes no exams with it.
    const [mail] = await mailsTo(courtesy);
    expect(mail?.text).toContain("Your exams are still stored.");
    expect(mail?.text).not.toContain("deleted");
  });
});

describe("the language of mails", () => {
  const localeOf = async (email: string) =>
    (await t.sql`select locale from users where email = ${email}`)[0]?.locale as string;

  test("is that of the registration, then of each sign-in and of the terms' acceptance", async () => {
    const email = "lingua@example.com";
    const password = "senha comprida";
    const say = (path: string, json: unknown, language: string, token?: string) => {
      const authorization: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {};
      return t.call("POST", path, { json, headers: { "accept-language": language, ...authorization } });
    };
    const account = { name: "Duas Línguas", email, cpfcnpj: "529.982.247-25", password };
    expect((await say("/api/auth/register", account, "en-GB")).status).toBe(201);
    expect(await localeOf(email)).toBe("en-US");
    const signedIn = await say("/api/auth/login", { email, password }, "pt-BR");
    expect(await localeOf(email)).toBe("pt-BR");
    const { token } = (await signedIn.json()) as { token: string };
    expect((await say("/api/users/accept-terms", {}, "en-US", token)).status).toBe(200);
    expect(await localeOf(email)).toBe("en-US");
    expect((await say("/api/auth/login", { email, password: "errada" }, "pt-BR")).status).toBe(401);
    expect(await localeOf(email)).toBe("en-US");
  });

  test("is that of the request that sends the code, if a second factor is needed", async () => {
    const person = await t.addPerson("Com Código");
    t.deps.config.twoFactor = "required";
    const { email, password } = person;
    await t.call("POST", "/api/auth/login", { json: { email, password } });
    const code = codeIn((await mailsTo(person)).at(-1));
    const verified = await t.call("POST", "/api/auth/verify-2fa", {
      json: { email, code },
      headers: { "accept-language": "pt-BR" },
    });
    t.deps.config.twoFactor = "auto";
    expect(verified.status).toBe(200);
    expect(await localeOf(email)).toBe("pt-BR");
  });
});
