import { expect, test } from "bun:test";
import { createLogger } from "../../../src/server/runtime/log.ts";
import { createTestApp, problemOf } from "../../support/app/test-app.ts";
import { until } from "../../support/until.ts";
import { sampleZip } from "../../support/zip/sample-zip.ts";

test("a database that became read-only is told by health and refuses changes; lists and open viewers go on", async () => {
  // The log tells of each session that this test ends.
  const log = createLogger({ level: "error", write: () => {} });
  await using t = await createTestApp({ overrides: { log } });
  const person = await t.addPerson("Somente Leitura");
  const [study] = (await t.store(person, sampleZip({ study: "1" }))).studies;
  const asked = Buffer.from(JSON.stringify([{ userId: person.id, id: study?.id }])).toString("base64url");
  const openViewer = () => t.call("GET", `/generate-token?data=${asked}`, { as: person });
  const { token } = (await (await openViewer()).json()) as { token: string };
  const made = await t.call("POST", "/api/tokens", {
    as: person,
    json: { name: "Programa", scopes: ["api"], expiresAt: null },
  });
  const program = { ...person, token: ((await made.json()) as { token: string }).token };
  const [named] = await t.sql`select current_database() as name`;
  /** As a failover to a standby and back, which ends all sessions. */
  const setReadOnly = async (value: "on" | "off") => {
    await t.sql.unsafe(`alter database ${named?.name} set default_transaction_read_only = ${value}`);
    await t.sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`;
  };
  const health = async () => {
    const answer = await t.call("GET", "/api/health");
    return [answer.status, ((await answer.json()) as { database: boolean }).database];
  };
  expect(await health()).toEqual([200, true]);
  await setReadOnly("on");
  await until(async () => (await health())[0] === 503);
  expect(await health()).toEqual([503, false]);
  const refused = await t.upload(person, sampleZip({ study: "2" }));
  expect([refused.status, (await problemOf(refused)).code]).toEqual([503, "database.unavailable"]);
  const download = () => t.call("GET", `/api/studies/${study?.id}/download`, { as: person });
  for (const call of [openViewer, download]) expect((await call()).status).toBe(503);
  // A session, and an access token, would now be noted as used.
  t.advance(10 * 60_000);
  const viewed = await t.call("GET", `/dicomweb/t/${token}/studies/${study?.studyInstanceUID}/metadata`);
  expect(viewed.status).toBe(200);
  const list = async (as = person) => (await t.call("GET", "/api/studies", { as })).json();
  expect(await list()).toHaveLength(1);
  expect(await list(program)).toHaveLength(1);
  await setReadOnly("off");
  await until(async () => (await health())[0] === 200);
  expect((await t.upload(person, sampleZip({ study: "2" }))).status).toBe(201);
  expect(await list()).toHaveLength(2);
  await t.settle();
}, 240_000);

test("a database that takes changes again gets them within moments, though no session was ended", async () => {
  const log = createLogger({ level: "error", write: () => {} });
  await using t = await createTestApp({ overrides: { log } });
  const person = await t.addPerson("Volta Sozinho", { plan: "clinica" });
  const [named] = await t.sql`select current_database() as name`;
  const endSessions = () => t.sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`;
  let studies = 0;
  /** As many at once as the pool has connections. */
  const sendSeveral = async () => {
    const answers = Array.from({ length: 10 }, () =>
      t.upload(person, sampleZip({ study: String(++studies) })),
    );
    return [...new Set((await Promise.all(answers)).map(({ status }) => status))];
  };
  await t.sql.unsafe(`alter database ${named?.name} set default_transaction_read_only = on`);
  await endSessions();
  await until(async () => (await t.call("GET", "/api/health")).status === 503);
  expect(await sendSeveral()).toEqual([503]);
  await t.sql.unsafe(`alter database ${named?.name} reset default_transaction_read_only`);
  await until(async () => (await t.call("GET", "/api/health")).status === 200, 60_000);
  await until(async () => Bun.deepEquals(await sendSeveral(), [201]), 60_000);
  // The jobs' own sessions take part: what was uploaded reaches the archive.
  await t.settle();
  await until(
    async () => (await t.sql`select 1 from studies where storage_status <> 'b2'`).length === 0,
    60_000,
  );
}, 240_000);
