import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdir, readFile, utimes } from "node:fs/promises";
import { join } from "node:path";
import { strFromU8, unzipSync } from "fflate";
import { cleanAudit } from "../../../src/server/features/audit/audit.jobs.ts";
import { recordAudit } from "../../../src/server/features/audit/audit.repo.ts";
import { personalData } from "../../../src/server/features/export/personal-data.ts";
import { defineQueue } from "../../../src/server/jobs/queue.ts";
import type { ExportTicket } from "../../../src/shared/api/users.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";
import { linkIn, readOutbox } from "../../support/mail/outbox.ts";
import { cancel, type FilledAccount, fillAccount } from "../removals/filled-account.ts";

/** LGPD art. 18: a person's data can be exported, and is deleted with the account. */
const DAY = 24 * 3600_000;
const PNG = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3, 4]);
/** An address from which nobody signs in. */
const ELSEWHERE = { "x-forwarded-for": "203.0.113.9" };

let t: TestApp;
let admin: Person;

beforeAll(async () => {
  t = await createTestApp({ env: { SUPPORT_EMAIL: "operador@example.com", TRUST_PROXY: "127.0.0.1" } });
  admin = await t.addPerson("Administradora", { role: "admin", plan: null });
}, 240_000);
afterAll(() => t[Symbol.asyncDispose]());

async function askSupport(
  sender: { email: string; name: string },
  message: string,
  how: { as?: Person; image?: Uint8Array; headers?: Record<string, string> } = {},
): Promise<void> {
  const form = new FormData();
  const { email: userEmail, name: userName } = sender;
  for (const [name, text] of Object.entries({ subject: "Dúvida", message, userEmail, userName }))
    form.set(name, text);
  if (how.image) form.set("image", new File([Uint8Array.from(how.image)], "tela.png"));
  await t.sql`delete from throttles`;
  const { as, headers } = how;
  const answer = await t.call("POST", "/api/support/send", { as, body: form, headers });
  expect(answer.status).toBe(201);
}

async function exportOf(who: Person): Promise<Record<string, Uint8Array>> {
  const ticket = await t.call("POST", "/api/users/export-ticket", { as: who });
  const { url } = (await ticket.json()) as ExportTicket;
  return unzipSync(new Uint8Array(await (await t.call("GET", url)).arrayBuffer()));
}

const textOf = (files: Record<string, Uint8Array>, name: string) =>
  strFromU8(files[name] ?? new Uint8Array());

async function tables(): Promise<string[]> {
  const rows = await t.sql`select table_name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE' order by table_name`;
  return rows.map((row) => String(row.table_name));
}

/** Places of these words: any column of any table, jobs included, and any file below DATA_DIR. */
async function placesOf(words: string[]): Promise<string[]> {
  const found: string[] = [];
  const columns = await t.sql`select c.table_schema as schema, c.table_name as name, c.column_name as col
    from information_schema.columns c join information_schema.tables using (table_schema, table_name)
    where c.table_schema in ('public', 'pgboss') and table_type = 'BASE TABLE'`;
  for (const { schema, name, col } of columns) {
    for (const word of words) {
      const hits = await t.sql`select 1 from ${t.sql(`${schema}.${name}`)}
        where position(${word.toLowerCase()} in lower(${t.sql(col)}::text)) > 0
          or position(${Buffer.from(word).toString("hex")} in ${t.sql(col)}::text) > 0 limit 1`;
      if (hits.length > 0) found.push(`${schema}.${name}.${col}: ${word}`);
    }
  }
  const { dataDir } = t.deps.config;
  for (const entry of await readdir(dataDir, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const bytes = await readFile(join(entry.parentPath, entry.name));
    for (const word of words) if (bytes.includes(word)) found.push(`${entry.name}: ${word}`);
  }
  return found;
}

describe("the list of personal data", () => {
  test("names exactly the tables of the database", async () => {
    expect(Object.keys(personalData).sort()).toEqual((await tables()).sort());
  });

  test("is right about what is deleted with an account: kept tables have no reference to it, the others no row of it", async () => {
    const rows = await t.sql`select tc.table_name as name, rc.delete_rule as rule
      from information_schema.table_constraints tc
      join information_schema.referential_constraints rc on rc.constraint_name = tc.constraint_name
      join information_schema.constraint_column_usage cu on cu.constraint_name = tc.constraint_name
      where tc.constraint_type = 'FOREIGN KEY' and cu.table_name = 'users'`;
    expect(rows.filter(({ rule }) => rule !== "CASCADE" && rule !== "SET NULL")).toEqual([]);
    const wrong = rows.filter(({ name }) => personalData[String(name)]?.erasure !== "deleted");
    expect(wrong).toEqual([]);
  });
});

describe("an account that is deleted", () => {
  let filled: FilledAccount;
  const words: string[] = [];

  beforeAll(async () => {
    filled = await fillAccount(t, "Zuleica Quixaba");
    const { owner } = filled;
    const sender = { email: owner.email, name: "Genoveva Ximbica" };
    await t.sql`update users set name = ${sender.name} where id = ${owner.id}`;
    await askSupport(sender, "Meu exame xilindro sumiu", {
      image: PNG,
    });
    await askSupport({ ...sender, email: owner.email.toUpperCase() }, "de outro lugar", {
      headers: ELSEWHERE,
    });
    await t.call("POST", "/api/auth/forgot-password", { json: { email: owner.email } });
    await t.settle();
    words.push(owner.email, "Ximbica", "xilindro");
  }, 240_000);

  test("leaves its name, address and messages nowhere: no table, no job, no file", async () => {
    expect((await placesOf(words)).length).toBeGreaterThan(3);
    const uids =
      await t.sql`select study_instance_uid as uid from studies where account_id = ${filled.owner.id}`;
    const deleted = await t.call("DELETE", `/api/users/${filled.owner.id}`, { as: admin });
    expect(deleted.status).toBeLessThan(300);
    await t.settle();
    expect(await placesOf([...words, ...uids.map(({ uid }) => String(uid))])).toEqual([]);
  });

  test("keeps its audit, under an id that can't be traced back", async () => {
    const rows = await t.sql`select * from audit_events where account_id = ${filled.owner.id}`;
    const actions = rows.map(({ action }) => action);
    expect(actions).toContain("study.uploaded");
    expect(actions).toContain("user.deleted");
    expect(rows.filter(({ study_instance_uid: uid }) => uid !== null)).toEqual([]);
  });

  test("leaves what it typed of its DICOM senders not even in the audit", async () => {
    const clinic = await t.addPerson("Clínica que Sai");
    const typed = { aeTitle: "CLINICA_QUE_SAI", callingAETitles: ["TOMOGRAFO"], addresses: ["192.0.2.77"] };
    const event = { at: new Date(), actorId: clinic.id, accountId: clinic.id, details: typed };
    for (const action of ["receiver.made", "receiver.ended"] as const)
      await recordAudit(t.deps.db, { ...event, action });
    expect((await t.call("DELETE", `/api/users/${clinic.id}`, { as: admin })).status).toBe(200);
    await t.settle();
    expect(await placesOf([typed.aeTitle, "192.0.2.77"])).toEqual([]);
  });

  test("also deletes its mails that still wait or could not be sent, to its former and its asked-for address too", async () => {
    const person = await t.addPerson("Espera Longa");
    const [former, wanted] = ["antes@example.com", "depois@example.com"] as const;
    await t.sql`insert into email_stops (token_hash, user_id, old_email, asked_at, expires_at)
      values ('a stop', ${person.id}, ${former}, now(), now() + interval '1 day')`;
    await t.sql`insert into mailed_links (token_hash, user_id, purpose, new_email, expires_at)
      values ('a link', ${person.id}, 'email', ${wanted}, now() + interval '1 day')`;
    const { jobs } = t.deps;
    const sealed = t.deps.mailSeal.close({});
    const { hashAddress } = await import("../../../src/server/mail/outbox.ts");
    const later = { runAfterSeconds: 3600 };
    const waiting = defineQueue<object>("mail.send");
    for (const address of [person.email, former, wanted])
      await jobs.enqueue(waiting, { sealed, about: [hashAddress(address)] }, later);
    await jobs.enqueue(waiting, { sealed, about: [hashAddress("outra@example.com")] }, later);
    await t.call("DELETE", `/api/users/${person.id}`, { as: admin });
    const left =
      await t.sql`select data->'about' as about from pgboss.job where name = 'mail.send' and state = 'created'`;
    expect(left.map((row) => row.about)).toEqual([[hashAddress("outra@example.com")]]);
    await t.sql`delete from pgboss.job where name = 'mail.send'`;
  });

  test("keeps mails that wait for the operator or for another account whose address it only entered", async () => {
    const { jobs } = t.deps;
    const { hashAddress } = await import("../../../src/server/mail/outbox.ts");
    const waiting = defineQueue<object>("mail.send");
    const later = { runAfterSeconds: 3600 };
    const sealed = t.deps.mailSeal.close({});
    const liar = await t.addPerson("Mentirosa");
    const asked = await t.call("PATCH", "/api/users/profile", {
      as: liar,
      json: { name: "Mentirosa", email: "chega.depois@example.com", currentPassword: liar.password },
    });
    expect(asked.status).toBe(200);
    await t.settle();
    const invited = await t.call("POST", "/api/users", {
      as: admin,
      json: { name: "Chega Depois", email: "chega.depois@example.com" },
    });
    expect(invited.status).toBe(201);
    await t.settle();
    // Nobody proves the address they register with.
    await t.sql`update users set email = 'Operador@example.com' where id = ${liar.id}`;
    await askSupport({ email: "quem@example.com", name: "Quem Pergunta" }, "Preciso de ajuda", {
      headers: ELSEWHERE,
    });
    await t.settle();
    const abouts = [[hashAddress("operador@example.com")], [hashAddress("chega.depois@example.com")]];
    for (const about of abouts) await jobs.enqueue(waiting, { sealed, about }, later);
    const json = { password: liar.password };
    const gone = await t.call("POST", "/api/users/delete-own", { as: liar, json });
    expect(gone.status).toBe(200);
    await t.settle();
    const left =
      await t.sql`select data->'about' as about from pgboss.job where name = 'mail.send' and state = 'created'`;
    expect(left.map((row) => row.about).sort()).toEqual(abouts.sort());
    const files = await readOutbox(t.deps.config.dataDir);
    expect(files.filter(({ text }) => text.includes("Preciso de ajuda"))).toHaveLength(1);
    expect(files.filter(({ to }) => to.includes("chega.depois@example.com"))).not.toEqual([]);
    await t.sql`delete from pgboss.job where name = 'mail.send'`;
  });
});

describe("a support message that names an address", () => {
  /** Registers a person a day after somebody without an account wrote to support with that address. */
  async function registerAfter(name: string): Promise<{ person: Person; message: string }> {
    const person = await t.addPerson(name);
    const message = `de antes da conta: ${name}`;
    await askSupport({ email: person.email, name }, message, { headers: ELSEWHERE });
    await t.settle();
    await t.sql`update support_messages set created_at = now() - interval '1 day' where message = ${message}`;
    const folder = join(t.deps.config.dataDir, "outbox");
    const dayAgo = new Date(Date.now() - DAY);
    for (const file of await readdir(folder))
      if ((await readFile(join(folder, file))).includes(name))
        await utimes(join(folder, file), dayAgo, dayAgo);
    return { person, message };
  }
  const kept = async (message: string) => {
    const rows = await t.sql`select message from support_messages where message = ${message}`;
    const mails = (await readOutbox(t.deps.config.dataDir)).filter(({ text }) => text.includes(message));
    return [rows.length, mails.length];
  };
  const leave = async (person: Person) => {
    const json = { password: person.password };
    expect((await t.call("POST", "/api/users/delete-own", { as: person, json })).status).toBe(200);
    await t.settle();
  };

  test("stays if it is older than the account that registered it, since it may be from somebody without one", async () => {
    const { person, message } = await registerAfter("Registra Depois");
    await leave(person);
    expect(await kept(message)).toEqual([1, 1]);
  });

  test("is deleted with an account that proved to read that mailbox, however old it is", async () => {
    const { person, message } = await registerAfter("Prova Depois");
    await t.call("POST", "/api/auth/forgot-password", { json: { email: person.email } });
    await t.settle();
    const mails = (await readOutbox(t.deps.config.dataDir)).filter(({ to }) => to.includes(person.email));
    const token = linkIn(mails.at(-1)).pathname.split("/").at(-1);
    const json = { token, password: person.password };
    expect((await t.call("POST", "/api/auth/reset-password", { json })).status).toBe(200);
    const login = await t.call("POST", "/api/auth/login", { json: { ...json, email: person.email } });
    await leave({ ...person, ...((await login.json()) as { token: string }) });
    expect(await kept(message)).toEqual([0, 0]);
  });

  test("stays with another account that sent it with its session", async () => {
    const [gone, writer] = [await t.addPerson("Vai Embora"), await t.addPerson("Fica Aqui")];
    const message = "a conta de quem fica";
    await askSupport({ email: gone.email, name: "Fica Aqui" }, message, { as: writer });
    await leave(gone);
    const rows = await t.sql`select account_id from support_messages where message = ${message}`;
    expect(rows.map((row) => row.account_id)).toEqual([writer.id]);
  });

  test("is not exported to a neighbour who registered it and never proved to read that mailbox", async () => {
    const neighbour = await t.addPerson("Vizinha Curiosa");
    await askSupport({ email: neighbour.email, name: "Sem Conta" }, "segredo de quem não tem conta");
    expect(textOf(await exportOf(neighbour), "support.json")).not.toContain("segredo");
  });
});

describe("the export", () => {
  test("has the exams, laudos and lab exams that a cancellation took out of sight, until they are purged", async () => {
    const { owner, studyIds } = await fillAccount(t, "Cancela Tudo");
    const before = await exportOf(owner);
    await cancel(t, owner);
    const files = await exportOf(owner);
    const images = (of: Record<string, Uint8Array>) =>
      Object.entries(of)
        .filter(([name]) => /^(DICOM|reports|lab)\//.test(name))
        .map(([name, bytes]) => `${name} ${Bun.hash(bytes)}`)
        .sort();
    expect(images(files)).toEqual(images(before));
    const { studies, laboratory } = JSON.parse(textOf(files, "exams.json"));
    expect(studies.map(({ id }: { id: string }) => id).sort()).toEqual([...studyIds].sort());
    for (const { removal } of [...studies, ...laboratory])
      expect(Date.parse(removal.purgedAfter) - Date.parse(removal.removedAt)).toBe(3 * DAY);
  }, 240_000);

  test("has the account's messages to support, with their picture, and none that a stranger wrote in its name", async () => {
    const person = await t.addPerson("Pergunta Muito");
    const sender = { email: person.email, name: "Pergunta Muito" };
    await t.sql`update users set email_proven_at = now() where id = ${person.id}`;
    await askSupport(sender, "sem cabeçalho, de onde entrou", { image: PNG });
    await askSupport({ ...sender, email: "outra@example.com" }, "com a sessão", { as: person });
    await askSupport(sender, "de um estranho", { headers: ELSEWHERE });
    const files = await exportOf(person);
    const messages = JSON.parse(textOf(files, "support.json")) as { message: string; image: string | null }[];
    expect(messages.map(({ message }) => message)).toEqual(["sem cabeçalho, de onde entrou", "com a sessão"]);
    expect(files[messages[0]?.image ?? ""]).toEqual(PNG);
  });

  test("has sessions, devices, links, payments with returns, and the person's actions on others' studies", async () => {
    const { owner, doctor, studyIds } = await fillAccount(t, "Mostra Tudo");
    await t.call("GET", `/api/studies/laudo/${studyIds[0]}`, { as: doctor });
    const account = JSON.parse(textOf(await exportOf(owner), "account.json"));
    expect(account.sessions.length).toBeGreaterThan(0);
    for (const key of [
      "rememberedDevices",
      "mailedLinks",
      "payments",
      "secondFactors",
      "usage",
      "sharedWithYou",
    ])
      expect(account).toHaveProperty(key);
    const theirs = await exportOf(doctor);
    expect(JSON.parse(textOf(theirs, "account.json")).sharedWithYou).toHaveLength(2);
    const opened = JSON.parse(textOf(theirs, "audit.json")).filter(
      ({ action }: { action: string }) => action === "report.opened",
    );
    expect(opened).toMatchObject([{ studyInstanceUID: null }]);
    for (const bytes of Object.values(theirs)) expect(strFromU8(bytes)).not.toContain("$argon2");
  }, 240_000);
});

describe("the audit", () => {
  const refused = (query: Promise<unknown>) => expect(query).rejects.toThrow("append-only");

  test("can't be changed, deleted or emptied, not even by the database's owner", async () => {
    await refused(t.sql`update audit_events set action = 'nothing'`.execute());
    await refused(t.sql`update audit_events set address = null`.execute());
    await refused(
      t.sql`update audit_events set details = '{"by": "me"}' where account_id = ${admin.id}`.execute(),
    );
    await refused(t.sql`delete from audit_events`.execute());
    await refused(t.sql`truncate audit_events`.execute());
    await refused(
      t.sql.begin(async (tx) => {
        await tx`set local session_replication_role = replica`;
        await tx`delete from audit_events`;
      }),
    );
  });

  test("forgets a deleted account's addresses after six months and its rows after five years, and no other account's", async () => {
    const gone = crypto.randomUUID();
    const add = async (days: number, accountId: string | null, actorId: string | null) => {
      const at = new Date(Date.now() - days * DAY).toISOString();
      const [row] = await t.sql`insert into audit_events (at, action, actor_id, account_id, address, details)
        values (${at}, 'session.failed', ${actorId}, ${accountId}, '203.0.113.77', '{"a": 1}') returning id`;
      return String(row?.id);
    };
    const kept = [
      await add(100, gone, gone),
      await add(3000, admin.id, admin.id),
      await add(100, null, null),
    ];
    const bare = [await add(200, gone, gone), await add(200, admin.id, gone)];
    const dropped = [await add(2000, gone, gone), await add(200, null, null)];
    await cleanAudit(t.deps);
    const rows = await t.sql`select id::text, address from audit_events
      where id = any(${[...kept, ...bare, ...dropped]}::bigint[]) order by id`;
    expect(rows.map(({ id, address }) => [id, address])).toEqual(
      [...kept.map((id) => [id, "203.0.113.77"]), ...bare.map((id) => [id, null])].sort(
        ([one], [other]) => Number(one) - Number(other),
      ),
    );
  });
});

test("a support message is kept for a year", async () => {
  await askSupport({ email: "visita@example.com", name: "Visita" }, "há muito tempo");
  await askSupport({ email: "visita@example.com", name: "Visita" }, "há pouco");
  await t.sql`update support_messages set created_at = now() - interval '366 days' where message = 'há muito tempo'`;
  await t.sql`update support_messages set created_at = now() - interval '364 days' where message = 'há pouco'`;
  await t.deps.jobs.enqueue(defineQueue("support.clean"), {});
  await t.settle();
  const rows = await t.sql`select message from support_messages where user_email = 'visita@example.com'`;
  expect(rows.map(({ message }) => message)).toEqual(["há pouco"]);
});
