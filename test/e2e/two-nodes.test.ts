import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { UploadAnswer } from "../../src/shared/api/upload.ts";
import { createTestDatabase, type TestDatabase } from "../support/database/database.ts";
import { postZip, type ServerProcess, spawnServer } from "../support/program/server-process.ts";
import { s3Environment } from "../support/store/s3-environment.ts";
import { startS3Server } from "../support/store/s3-server.ts";
import { createTempFolder } from "../support/temp-folder.ts";
import { sampleZip } from "../support/zip/sample-zip.ts";

/*
 * Two app processes on one PostgreSQL and one S3 store, as behind a load balancer. Every limit is 50, and 200 calls
 * ask for it at once through both.
 */
const LIMIT = 50;
const ASKED = 200;
const person = { name: "Dona Limite", email: "limite@example.com", password: "segredo de teste" };

const held = new AsyncDisposableStack();
let database: TestDatabase;
let nodes: ServerProcess[];
let token: string;

beforeAll(async () => {
  database = await createTestDatabase();
  held.defer(() => database.drop());
  const store = held.use(await startS3Server());
  const env = {
    DATABASE_URL: database.url,
    AUTH_SECRET: "one secret for both, long enough for HS256",
    ...s3Environment(store.options),
    LOG_LEVEL: "warn",
  };
  nodes = [];
  for (let node = 0; node < 2; node++) {
    const folder = held.use(createTempFolder());
    nodes.push(held.use(await spawnServer(folder.path, env)));
  }
  await database.sql`update plans set exam_limit = ${LIMIT}, download_delete_limit = ${LIMIT}
    where slug = 'avaliacao'`;
  await post("/api/auth/register", { ...person, cpfcnpj: "529.982.247-25" });
  const { email, password } = person;
  token = ((await (await post("/api/auth/login", { email, password })).json()) as { token: string }).token;
}, 240_000);
afterAll(() => held.disposeAsync());

async function post(path: string, json: unknown): Promise<Response> {
  return await fetch(`${nodes[0]?.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(json),
  });
}

/** Calls `act` for 0…count-1, `atOnce` at a time, half of them on either node. */
async function ask(
  count: number,
  atOnce: number,
  act: (node: ServerProcess, index: number) => Promise<Response>,
): Promise<Response[]> {
  const answers: Response[] = [];
  let next = 0;
  const worker = async (node: ServerProcess) => {
    for (let index = next++; index < count; index = next++) answers[index] = await act(node, index);
  };
  const lanes = Array.from({ length: atOnce / nodes.length }, () => nodes).flat();
  await Promise.all(lanes.map(worker));
  return answers;
}

const tally = (answers: Response[]) =>
  Object.fromEntries(
    Map.groupBy(answers, ({ status }) => status)
      .entries()
      .map(([s, all]) => [s, all.length]),
  );

async function counters() {
  const [row] = await database.sql`select exam_count, downloads, deletes, download_delete_limit as limit
    from subscriptions join plans on plans.id = plan_id join users on users.id = user_id
    where email = ${person.email}`;
  return row;
}

describe("limits hold over two processes", () => {
  const studyIds: string[] = [];

  test("for 70 uploads of an exam each: exactly 50 are kept, and the others leave nothing", async () => {
    const answers = await ask(LIMIT + 20, 6, (node, index) =>
      postZip(node, token, new Blob([Uint8Array.from(sampleZip({ study: String(1000 + index) }))])),
    );
    expect(tally(answers)).toEqual({ 201: LIMIT, 403: 20 });
    for (const answer of answers) {
      if (answer.status === 201) studyIds.push(((await answer.json()) as UploadAnswer).studies[0]?.id ?? "");
      else expect(((await answer.json()) as { code: string }).code).toBe("quota.trial");
    }
    const [stored] = await database.sql`select count(*)::int as studies from studies`;
    expect(stored?.studies).toBe(LIMIT);
    expect(await counters()).toMatchObject({ exam_count: LIMIT });
  }, 240_000);

  test("for 200 concurrent downloads: exactly 50 are answered and counted", async () => {
    const [studyId] = studyIds;
    const answers = await ask(ASKED, ASKED, async (node) => {
      const answer = await fetch(`${node.url}/api/studies/${studyId}/download`, {
        headers: { authorization: `Bearer ${token}` },
      });
      await answer.arrayBuffer();
      return answer;
    });
    expect(tally(answers)).toEqual({ 200: LIMIT, 403: ASKED - LIMIT });
    expect(await counters()).toMatchObject({ downloads: LIMIT, deletes: 0 });
  }, 240_000);

  test("for concurrent downloads and deletions together; studies whose deletion was refused remain", async () => {
    await database.sql`update subscriptions set downloads = 20, deletes = 10`;
    const headers = { authorization: `Bearer ${token}` };
    // The first study is downloaded 50 times, and the others are deleted, each once.
    const answers = await ask(LIMIT * 2 - 1, LIMIT * 2, (node, index) => {
      const isDownload = index < LIMIT;
      const path = isDownload ? `${studyIds[0]}/download` : `${studyIds[index - LIMIT + 1]}`;
      return fetch(`${node.url}/api/studies/${path}`, { method: isDownload ? "GET" : "DELETE", headers });
    });
    const done = answers.filter(({ status }) => status === 200).length;
    expect(done).toBe(LIMIT - 30);
    const now = await counters();
    expect(now?.downloads + now?.deletes).toBe(LIMIT);
    const [stored] = await database.sql`select count(*)::int as studies from studies`;
    expect(stored?.studies).toBe(LIMIT - (now?.deletes - 10));
    expect(now?.exam_count).toBe(stored?.studies);
  }, 240_000);
});
