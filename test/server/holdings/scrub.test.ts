import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { readConfig } from "../../../src/server/config.ts";
import { scrubQueue } from "../../../src/server/holdings/holding-queues.ts";
import { createRefusedObject } from "../../../src/server/holdings/scrubbing/refused-object.ts";
import { scrubArchive, takeScrubTurn } from "../../../src/server/holdings/scrubbing/scrub-archive.ts";
import { type ObjectStore, StoreUnavailable } from "../../../src/server/storage/object-store.ts";
import type { Study } from "../../../src/shared/api/studies.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";
import { readOutbox } from "../../support/mail/outbox.ts";
import { formBody, samplePdf } from "../../support/pdf/sample-pdf.ts";
import { until } from "../../support/until.ts";
import { sampleZip, studyUID } from "../../support/zip/sample-zip.ts";

const DAY = 86_400_000;
const SCRUB_DAYS = 30;

let t: TestApp;
let ana: Person;

beforeAll(async () => {
  t = await createTestApp();
  await t.addPerson("Quem Cuida", { role: "admin" });
  ana = await t.addPerson("Ana", { plan: "clinica" });
  for (const study of ["1", "2"]) await t.store(ana, sampleZip({ study }));
  const [first] = await studies();
  const report = await formBody({ studyInstanceUID: first?.id ?? "" }, { name: "laudo", bytes: samplePdf() });
  expect((await t.call("POST", "/api/studies/laudo/upload", { as: ana, ...report })).status).toBe(201);
  const lab = await formBody(
    { examName: "Hemograma", modality: "LAB" },
    { name: "file", bytes: samplePdf() },
  );
  expect((await t.call("POST", "/api/exams-lab/upload", { as: ana, ...lab })).status).toBe(201);
  await t.settle();
}, 240_000);
afterAll(() => t[Symbol.asyncDispose]());

async function studies(): Promise<Study[]> {
  return (await (await t.call("GET", "/api/studies", { as: ana })).json()) as Study[];
}

interface Kept {
  id: string;
  kind: string;
  path: string;
  studyUID: string | null;
}

async function keptObjects(): Promise<Kept[]> {
  const rows = await t.sql<{ id: string; kind: string; key: string; uid: string | null }[]>`
    select stored_objects.id, kind::text, key, study_instance_uid as uid
    from stored_objects join studies on studies.id = study_id
    union all select id, 'lab', key, null from lab_exams order by kind, key`;
  return rows.map(({ id, kind, key, uid }) => ({
    ...{ id, kind, studyUID: uid },
    path: join(t.deps.config.dataDir, "objects", key),
  }));
}

/** The keys that a store was asked to read, in order. */
function counting(store: ObjectStore): { store: ObjectStore; read: string[] } {
  const read: string[] = [];
  return {
    read,
    store: {
      ...store,
      async read(key, range) {
        if (range.offset === 0) read.push(key);
        return await store.read(key, range);
      },
    },
  };
}

const scrubbing = { SCRUB_DAYS: String(SCRUB_DAYS) };
/** The clock of the rounds alone: sessions live for days only. */
let passedMs = 0;
const pass = (milliseconds: number) => {
  passedMs += milliseconds;
};
const clock = { now: () => new Date(t.deps.clock.now().getTime() + passedMs) };
const turn = (deps: Partial<TestApp["deps"]> = {}) => {
  const config = { ...t.deps.config, scrubDays: SCRUB_DAYS };
  return scrubArchive({ ...t.deps, config, clock, ...deps }, new AbortController().signal);
};

/** Reads everything in a round of its own. */
async function wholeRound(): Promise<void> {
  await t.sql`delete from scrub_rounds`;
  await turn();
  pass(SCRUB_DAYS * DAY * 0.8);
  await turn();
  await t.settle();
}

const rounds = () => t.sql`select * from scrub_rounds order by started_at`;
const openFindings = async () => [
  ...(await t.sql`select object_id, kind, found from integrity_findings where closed_at is null`),
];
const closings = async (id: string) =>
  (
    await t.sql`select healed_by from integrity_findings where object_id = ${id} and closed_at is not null
    order by id`
  ).map(({ healed_by }) => healed_by);

describe("a round", () => {
  test("reads each object once, evenly over its days, on whichever node, and continues where it stopped", async () => {
    const objects = await keptObjects();
    const { store, read } = counting(t.deps.store);
    const other = { ...t.deps.node, id: Bun.randomUUIDv7() };
    const readBy: number[] = [];
    for (let day = 0; day < SCRUB_DAYS; day++) {
      await turn({ store, ...(day % 2 === 1 && { node: other }) });
      readBy.push(read.length);
      const [now] = await rounds();
      const due = Math.min(1, day / (SCRUB_DAYS * 0.8)) - 1e-3;
      expect(Number(now?.bytes_read) / Number(now?.bytes_total), `bytes by day ${day}`).toBeGreaterThan(due);
      expect(Number(now?.objects_read) / Number(now?.objects_total), `objects by day ${day}`).toBeGreaterThan(
        due,
      );
      pass(DAY);
    }
    await turn();
    const keys = objects.map(({ path }) => path.slice(join(t.deps.config.dataDir, "objects/").length));
    expect(read.toSorted()).toEqual(keys.toSorted());
    expect(readBy[0]).toBeLessThan(keys.length / 2);
    expect(readBy[12]).toBeGreaterThanOrEqual(keys.length / 2 - 1);
    expect(readBy[12]).toBeLessThan(keys.length);
    expect(readBy[24]).toBe(keys.length);
    const [round, next] = await rounds();
    expect(round).toMatchObject({ objects_total: keys.length, objects_read: keys.length, findings: 0 });
    expect(round?.bytes_read).toBe(round?.bytes_total);
    expect(round?.finished_at).not.toBeNull();
    expect(next).toMatchObject({ finished_at: null });
    expect(scrubQueue.rules.exclusive).toBe(true);
  });

  test("also reads exams that arrive while it runs", async () => {
    await t.sql`delete from scrub_rounds`;
    await turn();
    const [begun] = await rounds();
    const arrived = await Promise.all(
      ["21", "22", "23"].map(
        async (study) => (await t.store(ana, sampleZip({ study }))).studies[0]?.id ?? "",
      ),
    );
    pass(SCRUB_DAYS * DAY * 0.8);
    await turn();
    const [round] = await rounds();
    expect(round?.objects_read).toBe(Number(begun?.objects_total) + 6);
    expect(round?.finished_at).not.toBeNull();
    for (const id of arrived) await t.call("DELETE", `/api/studies/${id}`, { as: ana });
    await t.settle();
  });

  test("leaves each exam marked as verified", async () => {
    await t.sql`update studies set integrity = 'unchecked', verified_at = null`;
    await t.sql`update lab_exams set integrity = 'unchecked'`;
    await wholeRound();
    for (const { integrity, verifiedAt } of await studies()) {
      expect(integrity).toBe("ok");
      expect(new Date(verifiedAt ?? 0).getTime()).toBeGreaterThan(clock.now().getTime() - DAY);
    }
    expect(await t.sql`select integrity from lab_exams`).toMatchObject([{ integrity: "ok" }]);
  });

  test("of which another node moved on reads nothing more", async () => {
    await t.sql`delete from scrub_rounds`;
    await turn();
    pass(SCRUB_DAYS * DAY);
    const { store, read } = counting(t.deps.store);
    const stolen: ObjectStore = {
      ...store,
      async read(key, range) {
        await t.sql`update scrub_rounds set objects_read = objects_read + 1`;
        return await store.read(key, range);
      },
    };
    await turn({ store: stolen });
    expect(read).toHaveLength(1);
  });

  test("does not begin if SCRUB_DAYS is 0, and begins again SCRUB_DAYS after the last one began", async () => {
    await t.sql`delete from scrub_rounds`;
    await turn({ config: { ...t.deps.config, scrubDays: 0 } });
    expect(await rounds()).toHaveLength(0);
    await wholeRound();
    pass(SCRUB_DAYS * DAY * 0.1);
    await turn();
    expect(await rounds()).toHaveLength(1);
    pass(SCRUB_DAYS * DAY * 0.2);
    await turn();
    expect(await rounds()).toHaveLength(2);
    expect(readConfig({}).scrubDays).toBe(30);
    for (const SCRUB_DAYS of ["-1", "a", "1.5", "99999"]) {
      expect(() => readConfig({ SCRUB_DAYS })).toThrow("SCRUB_DAYS");
    }
    expect(readConfig(scrubbing).scrubDays).toBe(SCRUB_DAYS);
  });
});

describe("damage of an object", () => {
  const harms = {
    damaged: (path: string) => {
      const bytes = readFileSync(path);
      bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
      writeFileSync(path, bytes);
    },
    missing: (path: string) => rmSync(path),
  };

  for (const [found, harm] of Object.entries(harms)) {
    test(`that is ${found} is recorded, marked and mailed once, and closes when its bytes are back`, async () => {
      for (const { id, kind, path, studyUID } of await keptObjects()) {
        const whole = readFileSync(path);
        const mailsBefore = (await readOutbox(t.deps.config.dataDir)).length;
        harm(path);
        await wholeRound();
        await wholeRound();
        expect(await openFindings(), kind).toMatchObject([{ object_id: id, kind, found }]);
        for (const study of await studies())
          expect(study.integrity, kind).toBe(
            study.studyInstanceUID === studyUID ? (found as Study["integrity"]) : "ok",
          );
        if (!studyUID)
          expect(await t.sql`select integrity from lab_exams`).toMatchObject([{ integrity: found }]);
        expect((await readOutbox(t.deps.config.dataDir)).length, kind).toBe(mailsBefore + 1);
        // Nothing was deleted or written.
        if (found === "damaged") expect(readFileSync(path).length).toBe(whole.length);
        await mkdir(dirname(path), { recursive: true });
        writeFileSync(path, whole);
        await wholeRound();
        expect(await openFindings(), kind).toEqual([]);
        expect((await closings(id)).at(-1)).toBe("reread");
        expect((await studies()).map(({ integrity }) => integrity)).toEqual(["ok", "ok"]);
        expect(await t.sql`select integrity from lab_exams`).toMatchObject([{ integrity: "ok" }]);
        // The mails of an hour are few.
        t.advance(2 * 3600_000);
      }
    }, 240_000);
  }

  test("closes when the exam is sent again, and when its report is removed", async () => {
    const objects = await keptObjects();
    const volume = objects.find(({ kind, studyUID: uid }) => kind === "volume" && uid === studyUID("2"));
    harms.damaged(volume?.path ?? "");
    await wholeRound();
    await t.store(ana, sampleZip({ study: "2" }));
    expect(await openFindings()).toEqual([]);
    expect((await closings(volume?.id ?? "")).at(-1)).toBe("upload");

    const report = objects.find(({ kind }) => kind === "report");
    harms.missing(report?.path ?? "");
    await wholeRound();
    const uid = report?.studyUID ?? "";
    expect((await t.call("DELETE", `/api/studies/laudo/${uid}`, { as: ana })).status).toBe(200);
    await t.settle();
    expect(await openFindings()).toEqual([]);
    expect((await closings(report?.id ?? "")).at(-1)).toBe("removed");
    expect((await studies()).map(({ integrity }) => integrity)).toEqual(["ok", "ok"]);
  });

  test("goes with its exam", async () => {
    const { id } = (await t.store(ana, sampleZip({ study: "9" }))).studies[0] ?? { id: "" };
    const volume = (await keptObjects()).find(({ studyUID: uid }) => uid === studyUID("9"));
    harms.missing(volume?.path ?? "");
    await wholeRound();
    expect(await openFindings()).toHaveLength(1);
    expect((await t.call("DELETE", `/api/studies/${id}`, { as: ana })).status).toBe(200);
    expect(await t.sql`select 1 from integrity_findings where study_id = ${id}`).toHaveLength(0);
  });

  test("is found where the disk gives no bytes any more, and the round goes on", async () => {
    await t.sql`delete from scrub_rounds`;
    await turn();
    pass(SCRUB_DAYS * DAY);
    const [broken] = (await t.sql`select key from stored_objects order by study_id desc, id limit 1`).map(
      ({ key }) => String(key),
    );
    const failing: ObjectStore = {
      ...t.deps.store,
      async read(key, range) {
        const cause = Object.assign(new Error("input/output error"), { code: "EIO", syscall: "read" });
        if (key === broken) throw new StoreUnavailable("disk: EIO", { cause });
        return await t.deps.store.read(key, range);
      },
    };
    await turn({ store: failing });
    expect(await openFindings()).toMatchObject([{ found: "damaged" }]);
    const [round] = await rounds();
    expect(round).toMatchObject({ findings: 1 });
    expect(round?.finished_at).not.toBeNull();
    await wholeRound();
    expect(await openFindings()).toEqual([]);
  });

  test("leaves no dead letter of a turn that failed", async () => {
    const stat = () => Promise.reject(new StoreUnavailable("away"));
    await t.sql`delete from scrub_rounds`;
    const config = { ...t.deps.config, scrubDays: SCRUB_DAYS };
    // Within the millisecond in which a round begins nothing is due.
    const later = {
      now() {
        pass(60_000);
        return clock.now();
      },
    };
    const away = { ...t.deps, config, clock: later, store: { ...t.deps.store, stat } };
    await expect(scrubArchive(away, new AbortController().signal)).rejects.toThrow("away");
    await takeScrubTurn(away, new AbortController().signal, createRefusedObject());
    expect(await rounds()).toMatchObject([{ objects_read: 0 }]);
  });

  test("is not assumed while the disk is not mounted", async () => {
    await t.sql`delete from scrub_rounds`;
    await turn();
    pass(SCRUB_DAYS * DAY);
    const unmounted: ObjectStore = {
      ...t.deps.store,
      stat: async () => undefined,
      check: () => Promise.reject(new Error("not mounted")),
    };
    await expect(turn({ store: unmounted })).rejects.toThrow("not mounted");
    expect(await openFindings()).toEqual([]);
    await turn();
    expect(await rounds()).toMatchObject([{ findings: 0 }]);
  });
});

test.each([true, false])(
  "rounds go on after one of a clock that was years ahead (finished: %p)",
  async (isFinished) => {
    await t.sql`delete from scrub_rounds`;
    const ahead = new Date(clock.now().getTime() + 1500 * DAY).toISOString();
    await t.sql`insert into scrub_rounds (id, started_at, finished_at, objects_total, bytes_total, moved_at)
    values (${Bun.randomUUIDv7()}, ${ahead}, ${isFinished ? ahead : null}, 1, 1, ${ahead})`;
    await turn();
    pass(SCRUB_DAYS * DAY + 1);
    await turn();
    const ended = await rounds();
    expect(ended.filter(({ objects_read }) => Number(objects_read) > 0)).toHaveLength(1);
    expect(ended.filter(({ started_at }) => started_at > clock.now())).toEqual([]);
  },
);

test("the round under way goes on after a clock that was ahead through several rounds", async () => {
  await t.sql`delete from scrub_rounds`;
  const began = [1500, 1600].map((days) => new Date(clock.now().getTime() + days * DAY).toISOString());
  const [finished, underWay] = [Bun.randomUUIDv7(), Bun.randomUUIDv7()];
  await t.sql`insert into scrub_rounds (id, started_at, finished_at, objects_total, bytes_total, moved_at) values
    (${underWay}, ${began[1] ?? ""}, null, 1, 1, ${began[1] ?? ""}),
    (${finished}, ${began[0] ?? ""}, ${began[0] ?? ""}, 1, 1, ${began[0] ?? ""})`;
  await turn();
  pass(SCRUB_DAYS * DAY + 1);
  await turn();
  const [row] = await t.sql`select objects_read from scrub_rounds where id = ${underWay}`;
  expect(Number(row?.objects_read)).toBeGreaterThan(0);
});

test("rounds and settled findings of years ago are forgotten, open findings are not", async () => {
  const old = new Date(Date.now() - 1500 * DAY).toISOString();
  const [study] = await studies();
  const note = async (closedAt: string | null) => {
    const id = Bun.randomUUIDv7();
    await t.sql`insert into integrity_findings
      (id, object_id, kind, study_id, key, size_bytes, found, found_at, checked_at, closed_at)
      values (${id}, ${id}, 'volume', ${study?.id ?? ""}, 'a/b', 1, 'damaged', ${old}, ${old}, ${closedAt})`;
    return id;
  };
  const [settled, open] = [await note(old), await note(null)];
  await t.sql`delete from scrub_rounds`;
  await turn();
  await t.sql`insert into scrub_rounds (id, started_at, finished_at, objects_total, bytes_total, moved_at)
    values (${Bun.randomUUIDv7()}, ${old}, ${old}, 1, 1, ${old})`;
  pass(SCRUB_DAYS * DAY);
  await turn();
  expect(await rounds()).toHaveLength(1);
  const left = await t.sql`select id from integrity_findings where id in (${settled}, ${open})`;
  expect(left).toMatchObject([{ id: open }]);
  await t.sql`delete from integrity_findings where id = ${open}`;
});

test("staged bytes are read by the node that holds them, and their study is not verified before", async () => {
  const { id } = (await t.store(ana, sampleZip({ study: "10" }))).studies[0] ?? { id: "" };
  const other = Bun.randomUUIDv7();
  await t.sql`update stored_objects set location = 'staging', staged_on = ${other}
    where study_id = ${id} and kind = 'volume'`;
  const away: ObjectStore = {
    ...t.deps.store,
    stat: async (key) => ((await isStaged(key)) ? undefined : t.deps.store.stat(key)),
  };
  const isStaged = async (key: string) =>
    (await t.sql`select 1 from stored_objects where key = ${key} and location = 'staging'`).length > 0;
  await t.sql`delete from scrub_rounds`;
  await turn({ store: away });
  pass(SCRUB_DAYS * DAY);
  await turn({ store: away });
  expect(await openFindings()).toEqual([]);
  expect((await studies()).find((study) => study.id === id)?.integrity).toBe("unchecked");
  const waiting = await t.sql`select name, data from pgboss.job where name like ${`%${other}`}`;
  expect(waiting).toMatchObject([{ name: `integrity.check.${other}`, data: { studyId: id } }]);
});

test("a turn that a dead process or database cut off is no failed job: it is taken again", async () => {
  const id = await t.deps.jobs.enqueue(scrubQueue, {}, { singletonKey: "cut off", runAfterSeconds: 3600 });
  const stateOf = async () => (await t.sql`select state from pgboss.job where id = ${id ?? ""}`)[0]?.state;
  await t.sql`
    update pgboss.job set state = 'active', started_on = now() - interval '1 minute',
      heartbeat_on = now() - interval '1 minute' where id = ${id ?? ""}`;
  await until(async () => (await stateOf()) !== "active");
  expect(["retry", "active", "completed"]).toContain(await stateOf());
  expect([...(await t.sql`select 1 from pgboss.job where name = 'dead-letters'`)]).toEqual([]);
}, 240_000);
