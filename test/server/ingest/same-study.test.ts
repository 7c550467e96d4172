import { afterAll, beforeAll, expect, spyOn, test } from "bun:test";
import { zipSync } from "fflate";
import { takeStudyTurns } from "../../../src/server/features/ingest/study-turns.ts";
import type { ScanResult } from "../../../src/server/features/ingest/worker/worker-messages.ts";
import { withTimeout } from "../../../src/server/runtime/with-timeout.ts";
import { MIB } from "../../../src/shared/units.ts";
import { STOW_HEADERS, stow, stowBody } from "../../support/app/stow.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";
import { until } from "../../support/until.ts";
import { sampleInstance, studyUID } from "../../support/zip/sample-zip.ts";

/** As many as a sender with several connections keeps under way. */
const SENDERS = 6;
const EACH = 20;

let t: TestApp;
let person: Person;
beforeAll(async () => {
  t = await createTestApp();
  person = await t.addPerson("Clínica de Muitas Conexões", { plan: "clinica" });
});
afterAll(() => t[Symbol.asyncDispose]());

test("none of many senders who add to one study at once is refused", async () => {
  const statuses: number[] = [];
  const send = async (sender: number) => {
    for (let round = 0; round < EACH; round++) {
      const file = sampleInstance({ study: "1", sop: `${sender}.${round}` });
      statuses.push((await stow(t, person, [file])).status);
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, (_, sender) => send(sender)));
  expect(new Set(statuses)).toEqual(new Set([200]));
  const found = await t.call("GET", `/dicomweb/studies/${studyUID("1")}/instances`, { as: person });
  expect(((await found.json()) as unknown[]).length).toBe(SENDERS * EACH);
}, 240_000);

/** Small uploads share a process; larger ones have one each. */
const SIZES = [100, 3 * MIB];

/** A ZIP of one instance that is so long. */
function zipOf(instance: { study: string; sop: string }, length: number): Uint8Array {
  const padding = new Uint8Array(length).fill(1);
  return zipSync({ IM0: Buffer.concat([sampleInstance(instance), padding]) }, { level: 0 });
}

test("uploads that wait for a long one of their study keep no worker from other senders", async () => {
  const sender = await t.addPerson("Clínica de Um Exame", { plan: "clinica" });
  const other = await t.addPerson("Dona Paciência");
  const studies = [{ studyInstanceUID: studyUID("2") }];
  for (const sizeBytes of SIZES) {
    const long = await takeStudyTurns(
      t.deps,
      { accountId: sender.id },
      { studies } as ScanResult,
      AbortSignal.timeout(60_000),
    );
    const waiting = Array.from({ length: 12 }, (_, n) =>
      t.upload(sender, zipOf({ study: "2", sop: `${sizeBytes}.${n}` }, sizeBytes)),
    );
    await until(async () => {
      const [row] = await t.sql`select count(*)::int as uploads from uploads where state = 'receiving'`;
      return row?.uploads === waiting.length;
    });
    const sent = t.upload(other, zipOf({ study: "3", sop: `${sizeBytes}` }, sizeBytes));
    expect(await withTimeout(sent, 20_000)).toBe(true);
    expect((await sent).status).toBe(201);
    long[Symbol.dispose]();
    expect(new Set((await Promise.all(waiting)).map(({ status }) => status))).toEqual(new Set([201]));
  }
  const found = await t.call("GET", `/dicomweb/studies/${studyUID("2")}/instances`, { as: sender });
  expect(((await found.json()) as unknown[]).length).toBe(12 * SIZES.length);
}, 240_000);

test("an upload whose study another node keeps changing is asked to come again", async () => {
  const owner = await t.addPerson("Clínica de Dois Nós", { plan: "clinica" });
  await t.store(owner, zipOf({ study: "4", sop: "1" }, 100));
  await using other = await t.startAgain();
  const { ingestWorkers } = t.deps;
  const open = ingestWorkers.open.bind(ingestWorkers);
  let changes = 0;
  const change = async () => {
    const body = stowBody([sampleInstance({ study: "4", sop: `9.${++changes}` })]);
    const headers = { ...STOW_HEADERS, authorization: `Bearer ${owner.token}` };
    expect((await other.app.request("/dicomweb/studies", { method: "POST", headers, body })).status).toBe(
      200,
    );
  };
  using opened = spyOn(ingestWorkers, "open").mockImplementationOnce(async (...args) => {
    opened.mockImplementation(open);
    const session = await open(...args);
    const build: typeof session.build = async (plan) => {
      const built = await session.build(plan);
      await change();
      return built;
    };
    return { ...session, build };
  });
  const refused = await t.upload(owner, zipOf({ study: "4", sop: "2" }, 100));
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "5"]);
  expect(changes).toBeGreaterThan(1);
  expect((await t.upload(owner, zipOf({ study: "4", sop: "2" }, 100))).status).toBe(201);
}, 240_000);

const node = { bootId: Bun.randomUUIDv7() } as Parameters<typeof takeStudyTurns>[0]["node"];
const turnsOf = (accountId: string, uids: string[], signal = AbortSignal.timeout(5_000)) => {
  const studies = uids.map((studyInstanceUID) => ({ studyInstanceUID }));
  return takeStudyTurns({ node }, { accountId }, { studies } as ScanResult, signal);
};

test("an upload waits for those of its studies alone, and of its account", async () => {
  const first = await turnsOf("a", ["1", "2"]);
  let isOver = false;
  const second = turnsOf("a", ["3", "2"]).then((turns) => {
    expect(isOver).toBe(true);
    turns[Symbol.dispose]();
  });
  for (const [account, uid] of [["a", "4"] as const, ["b", "1"] as const])
    (await turnsOf(account, [uid]))[Symbol.dispose]();
  isOver = true;
  first[Symbol.dispose]();
  await second;
});

test("uploads that name their studies in other orders don't wait for each other for ever", async () => {
  const hold = async (uids: string[]) => {
    using _ = await turnsOf("a", uids);
    await Promise.resolve();
  };
  await Promise.all([hold(["1", "2", "3"]), hold(["3", "2", "1"]), hold(["2", "3", "1"])]);
});

test("a sender who leaves while their upload waits keeps nobody waiting", async () => {
  const first = await turnsOf("a", ["2"]);
  const gone = new AbortController();
  const leaving = turnsOf("a", ["1", "2"], gone.signal);
  gone.abort(new Error("gone"));
  await expect(leaving).rejects.toThrow("gone");
  (await turnsOf("a", ["1"]))[Symbol.dispose]();
  first[Symbol.dispose]();
});
