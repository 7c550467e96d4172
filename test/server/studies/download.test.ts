import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { unzipSync } from "fflate";
import {
  chargeDownload,
  fileOf,
  findDownloadable,
  findStudyFile,
} from "../../../src/server/features/studies/download/download-study.ts";
import { listVolumes } from "../../../src/server/holdings/objects/stored-objects.repo.ts";
import { openObject } from "../../../src/server/holdings/reading/open-object.ts";
import type { DownloadTicket, StudiesDownloadTicket } from "../../../src/shared/api/downloads.ts";
import type { UsageStats } from "../../../src/shared/api/subscriptions.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { serveApp } from "../../support/app/raw-upload.ts";
import { createTestApp, type Person, problemOf, type TestApp } from "../../support/app/test-app.ts";
import { sampleInstance, sampleZip } from "../../support/zip/sample-zip.ts";

let t: TestApp;
let person: Person;
let studyId: string;
beforeAll(async () => {
  t = await createTestApp();
  person = await t.addPerson("Baixa Tudo");
  const { studies } = await t.store(person, sampleZip({ study: "1" }, { study: "1", sop: "2" }));
  studyId = studies[0]?.id ?? "";
});
afterAll(() => t[Symbol.asyncDispose]());

const digest = (bytes: Uint8Array) => new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
const bytesOf = async (answer: Response) => new Uint8Array(await answer.arrayBuffer());
const download = (headers: Record<string, string> = {}, id = studyId) =>
  t.call("GET", `/api/studies/${id}/download`, { as: person, headers });

async function downloadsUsed(): Promise<number> {
  const stats = (await (
    await t.call("GET", "/api/subscriptions/usage-stats", { as: person })
  ).json()) as UsageStats;
  return stats.downloadsThisMonth;
}

describe("a download", () => {
  test("is bit for bit what was sent, with the patient's name and a length", async () => {
    const answer = await download();
    expect(answer.status).toBe(200);
    const bytes = await bytesOf(answer);
    expect(Number(answer.headers.get("content-length"))).toBe(bytes.length);
    expect(answer.headers.get("content-disposition")).toContain("Concei%C3%A7%C3%A3o_HIS.zip");
    expect(answer.headers.get("content-security-policy")).toContain("sandbox");
    const entries = Object.values(unzipSync(bytes));
    const sent = [sampleInstance({ study: "1" }), sampleInstance({ study: "1", sop: "2" })];
    expect(entries.map(digest).sort()).toEqual(sent.map(digest).sort());
  });

  test("has a name that a header can hold, also where a long one is cut", async () => {
    const elements = { [TagHex.PatientName]: { vr: "PN", Value: [`${"a".repeat(99)}𠮷𠮷`] } };
    const { studies } = await t.store(person, sampleZip({ study: "10", elements }));
    const id = studies[0]?.id ?? "";
    const answer = await download({}, id);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-disposition")).toEndWith(`''${"a".repeat(99)}_HIS.zip`);
    await answer.body?.cancel();
    expect((await t.call("DELETE", `/api/studies/${id}`, { as: person })).status).toBe(200);
  });

  test("of a study sent in several uploads is one ZIP with all of it, and can be resumed at any byte", async () => {
    const { studies } = await t.store(person, sampleZip({ study: "2" }));
    const id = studies[0]?.id ?? "";
    await t.store(person, sampleZip({ study: "2", sop: "2" }, { study: "2", sop: "3" }));
    await t.store(person, sampleZip({ study: "2", series: "2" }));
    const answer = await download({}, id);
    const whole = await bytesOf(answer);
    expect(Number(answer.headers.get("content-length"))).toBe(whole.length);
    expect(Object.keys(unzipSync(whole))).toHaveLength(4);
    for (const at of [0, 1, 700, whole.length >> 1, whole.length - 1]) {
      const rest = await download({ range: `bytes=${at}-` }, id);
      expect(rest.status).toBe(206);
      expect(digest(await bytesOf(rest))).toBe(digest(whole.subarray(at)));
    }
  });

  test("over a socket says its length, and answers a range with the whole file if If-Range does not match", async () => {
    await using server = serveApp(t);
    const fetched = (headers: Record<string, string> = {}) =>
      fetch(`http://127.0.0.1:${server.port}/api/studies/${studyId}/download`, {
        headers: { authorization: `Bearer ${person.token}`, ...headers },
      });
    const whole = await fetched();
    const bytes = await bytesOf(whole);
    expect(whole.headers.get("transfer-encoding")).toBeNull();
    expect(Number(whole.headers.get("content-length"))).toBe(bytes.length);
    const etag = whole.headers.get("etag") ?? "";
    for (const [range, from, to] of [
      ["bytes=0-", 0, bytes.length],
      ["bytes=10-19", 10, 20],
      ["bytes=-300", bytes.length - 300, bytes.length],
    ] as const) {
      const part = await fetched({ range, "if-range": etag });
      expect([part.status, part.headers.get("content-length")]).toEqual([206, String(to - from)]);
      expect(part.headers.get("content-range")).toBe(`bytes ${from}-${to - 1}/${bytes.length}`);
      expect(digest(await bytesOf(part))).toBe(digest(bytes.subarray(from, to)));
    }
    const other = await fetched({ range: "bytes=10-19", "if-range": '"other"' });
    expect([other.status, digest(await bytesOf(other))]).toEqual([200, digest(bytes)]);
  });

  test("is checked while it is sent if the check takes too long or its reader has left", async () => {
    const [volume] = await listVolumes(t.deps.db, studyId);
    if (!volume) throw new Error("no volume");
    const range = { offset: 0, length: volume.sizeBytes };
    const file = await openObject(t.deps, volume, range);
    expect(file).toBeInstanceOf(Blob);
    for (const options of [{ checkedFirstMs: 0 }, { signal: AbortSignal.abort() }]) {
      const stream = await openObject(t.deps, volume, range, options);
      expect(stream).toBeInstanceOf(ReadableStream);
      expect(digest(await bytesOf(new Response(stream)))).toBe(digest(await bytesOf(new Response(file))));
    }
  });

  test("answers ranges, If-Range and ranges out of bounds", async () => {
    const first = await download();
    const etag = first.headers.get("etag") ?? "";
    const whole = await bytesOf(first);
    const middle = await download({ range: "bytes=10-19", "if-range": etag });
    expect(middle.status).toBe(206);
    expect(middle.headers.get("content-range")).toBe(`bytes 10-19/${whole.length}`);
    expect(await bytesOf(middle)).toEqual(whole.slice(10, 20));
    const tail = await download({ range: "bytes=-5" });
    expect(await bytesOf(tail)).toEqual(whole.slice(-5));
    expect((await download({ range: "bytes=10-19", "if-range": '"other"' })).status).toBe(200);
    const beyond = await download({ range: `bytes=${whole.length}-` });
    expect([beyond.status, beyond.headers.get("content-range")]).toEqual([416, `bytes */${whole.length}`]);
    expect((await download({ "if-none-match": etag })).status).toBe(304);
  });

  test("is not gone on with by a client that names another version: its rest would belong to another file", async () => {
    const first = await download();
    const etag = first.headers.get("etag") ?? "";
    await bytesOf(first);
    for (const named of [etag, "*", ` "other" , ${etag}`])
      expect((await download({ range: "bytes=10-19", "if-match": named })).status).toBe(206);
    const spent = await downloadsUsed();
    for (const named of ['"other"', `W/${etag}`, "other", '"a", "b"', ""]) {
      const refused = await download({ range: "bytes=10-19", "if-match": named });
      expect([refused.status, refused.headers.get("etag")]).toEqual([412, etag]);
      expect((await problemOf(refused)).code).toBe("version.differs");
    }
    expect(await downloadsUsed()).toBe(spent);
  });

  test("is one action; HEAD and further ranges within the hour are free", async () => {
    await bytesOf(await download());
    const before = await downloadsUsed();
    await bytesOf(await download());
    expect(await downloadsUsed()).toBe(before + 1);
    await t.call("HEAD", `/api/studies/${studyId}/download`, { as: person });
    await bytesOf(await download({ range: "bytes=100-" }));
    // Several are answered whole, to a reader who goes on.
    const several = await download({ range: "bytes=0-9,100-" });
    expect([several.status, (await bytesOf(several)).length]).toEqual([
      200,
      (await bytesOf(await download({ range: "bytes=0-" }))).length,
    ]);
    expect(await downloadsUsed()).toBe(before + 1);
    t.advance(61 * 60_000);
    await bytesOf(await download({ range: "bytes=100-" }));
    expect(await downloadsUsed()).toBe(before + 2);
    t.advance(-61 * 60_000);
  });

  test("at the limit of the month is 403, and the counters start again after 30 days", async () => {
    const who = await t.addPerson("No Limite", { plan: "avaliacao" });
    const { studies } = await t.store(who, sampleZip({ study: "3" }));
    const path = `/api/studies/${studies[0]?.id}/download`;
    const answers = await Promise.all(Array.from({ length: 14 }, () => t.call("GET", path, { as: who })));
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(10);
    const refused = answers.find((answer) => answer.status !== 200);
    expect(refused && (await problemOf(refused)).code).toBe("quota.actions");
    t.advance(31 * 24 * 3600_000);
    const { email, password } = who;
    const again = (await (
      await t.call("POST", "/api/auth/login", { json: { email, password } })
    ).json()) as Person;
    expect((await t.call("GET", path, { as: { ...who, token: again.token } })).status).toBe(200);
    t.advance(-31 * 24 * 3600_000);
  });
});

test("a download of a study that is deleted at that moment is refused, and costs nothing", async () => {
  const { studies } = await t.store(person, sampleZip({ study: "7" }));
  const id = studies[0]?.id ?? "";
  const caller = { userId: person.id, role: "user" as const, hasActiveSubscription: true };
  const file = await findStudyFile(t.deps, caller, id);
  const before = await downloadsUsed();
  await t.sql`delete from studies where id = ${id}`;
  const origin = { address: "127.0.0.1", requestId: "1" };
  const charged = chargeDownload(t.deps, caller, file, { isRange: false, origin });
  await expect(charged).rejects.toMatchObject({ kind: { code: "study.not_found" } });
  expect(await downloadsUsed()).toBe(before);
});

test("a download of a study that was deleted after it was found says that there is none", async () => {
  const { studies } = await t.store(person, sampleZip({ study: "9" }));
  const id = studies[0]?.id ?? "";
  const caller = { userId: person.id, role: "user" as const, hasActiveSubscription: true };
  const study = await findDownloadable(t.deps, caller, id);
  expect((await t.call("DELETE", `/api/studies/${id}`, { as: person })).status).toBe(200);
  await expect(fileOf(t.deps, [study])).rejects.toMatchObject({ kind: { code: "study.not_found" } });
});

describe("a download ticket", () => {
  async function ticket(): Promise<DownloadTicket> {
    const answer = await t.call("POST", `/api/studies/${studyId}/download-ticket`, { as: person });
    expect(answer.status).toBe(201);
    return (await answer.json()) as DownloadTicket;
  }

  test("lets the browser download without a header of ours", async () => {
    const { url, fileName, sizeBytes } = await ticket();
    expect(fileName).toBe("Conceição_HIS.zip");
    const bytes = await bytesOf(await t.call("GET", url));
    expect(bytes.length).toBe(sizeBytes);
  });

  test("is valid for five minutes to begin and an hour to resume", async () => {
    const late = await ticket();
    const begun = await ticket();
    await bytesOf(await t.call("GET", begun.url));
    const minutes = 60_000;
    t.advance(6 * minutes);
    expect((await t.call("GET", begun.url, { headers: { range: "bytes=50-" } })).status).toBe(206);
    await t.sql`delete from downloads`;
    expect((await t.call("GET", late.url)).status).toBe(401);
    t.advance(-6 * minutes);
  });

  test("opens only its study, and ends with its session", async () => {
    const { url } = await ticket();
    const token = url.split("/").at(-1) ?? "";
    expect((await t.call("GET", "/api/studies", { as: { ...person, token } })).status).toBe(401);
    expect((await t.call("GET", `/dicomweb/t/${token}/studies`)).status).toBe(401);
    await t.call("POST", "/api/auth/logout", { as: person });
    expect((await t.call("GET", url)).status).toBe(401);
  });

  test("resumes nothing once the subscription is over, and neither does the session", async () => {
    const owner = await t.addPerson("Sem Plano");
    const { studies } = await t.store(owner, sampleZip({ study: "63" }));
    const path = `/api/studies/${studies[0]?.id}`;
    const given = await t.call("POST", `${path}/download-ticket`, { as: owner });
    const { url } = (await given.json()) as DownloadTicket;
    await bytesOf(await t.call("GET", url));
    const resume = (address: string) =>
      t.call("GET", address, { as: owner, headers: { range: "bytes=50-" } });
    for (const address of [url, `${path}/download`]) expect((await resume(address)).status).toBe(206);
    await t.sql`update subscriptions set expires_at = now() - interval '1 day' where user_id = ${owner.id}`;
    for (const address of [url, `${path}/download`])
      expect(await problemOf(await resume(address))).toMatchObject({ code: "subscription.required" });
    // A doctor needs none to see what others share, and one for their own.
    await t.sql`update users set role = 'doctor' where id = ${owner.id}`;
    for (const address of [url, `${path}/download`])
      expect(await problemOf(await resume(address))).toMatchObject({ code: "subscription.required" });
  });
});

describe("a download ticket is not given", () => {
  const askTicket = (study: string, as: Person) =>
    t.call("POST", `/api/studies/${study}/download-ticket`, { as });

  test("for an exam whose file is gone or damaged, so that no browser is told to save it", async () => {
    const owner = await t.addPerson("Dona do Perdido");
    const { studies } = await t.store(owner, sampleZip({ study: "61" }, { study: "61", sop: "2" }));
    const id = studies[0]?.id ?? "";
    await t.settle();
    const [volume] = await listVolumes(t.deps.db, id);
    const path = join(t.deps.config.dataDir, "objects", volume?.key ?? "");
    const bytes = readFileSync(path);
    const changed = Buffer.from(bytes);
    changed[bytes.length >> 1] = (changed[bytes.length >> 1] ?? 0) ^ 0x55;
    writeFileSync(path, changed);
    expect((await problemOf(await askTicket(id, owner))).code).toBe("archive.damaged");
    rmSync(path);
    expect((await problemOf(await askTicket(id, owner))).code).toBe("archive.damaged");
    writeFileSync(path, bytes);
    expect((await askTicket(id, owner)).status).toBe(201);
  });

  test("once the actions of the month are used up", async () => {
    const owner = await t.addPerson("No Limite");
    const { studies } = await t.store(owner, sampleZip({ study: "62" }));
    const id = studies[0]?.id ?? "";
    const [{ limit } = { limit: 0 }] = await t.sql<{ limit: number }[]>`
      select download_delete_limit as limit from plans join subscriptions on plan_id = plans.id where user_id = ${owner.id}`;
    await t.sql`update subscriptions set downloads = ${limit} where user_id = ${owner.id}`;
    expect((await problemOf(await askTicket(id, owner))).code).toBe("quota.actions");
    await t.sql`update subscriptions set downloads = ${limit - 1} where user_id = ${owner.id}`;
    expect((await askTicket(id, owner)).status).toBe(201);
  });
});

describe("a download of several studies", () => {
  const askTicket = (studyIds: (string | undefined)[], as: Person) =>
    t.call("POST", "/api/studies/download-ticket", { as, json: { studyIds } });

  test("is one ZIP that counts one action a study, and can be resumed for nothing", async () => {
    const owner = await t.addPerson("Dona de Muitos");
    const { studies } = await t.store(owner, sampleZip({ study: "31" }, { study: "32" }, { study: "33" }));
    const ids = studies.map(({ id }) => id);
    const used = async () => {
      const stats = await t.call("GET", "/api/subscriptions/usage-stats", { as: owner });
      return ((await stats.json()) as UsageStats).downloadsThisMonth;
    };
    const asked = await askTicket([...ids.slice(0, 2), ids[0], ids[1]?.toUpperCase()], owner);
    expect(asked.status).toBe(201);
    const ticket = (await asked.json()) as StudiesDownloadTicket;
    expect([ticket.leftOut, await used()]).toEqual([[], 0]);
    const whole = await bytesOf(await t.call("GET", ticket.url));
    expect(whole.length).toBe(ticket.sizeBytes);
    const sent = [sampleInstance({ study: "31" }), sampleInstance({ study: "32" })];
    expect(Object.values(unzipSync(whole)).map(digest).sort()).toEqual(sent.map(digest).sort());
    expect(await used()).toBe(2);
    const rest = await t.call("GET", ticket.url, { headers: { range: "bytes=100-" } });
    expect([rest.status, digest(await bytesOf(rest))]).toEqual([206, digest(whole.subarray(100))]);
    expect(await used()).toBe(2);
  });

  test("leaves out what is not the person's, says which, and is refused if nothing is left", async () => {
    const stranger = await t.addPerson("Outra Dona");
    const { studies } = await t.store(stranger, sampleZip({ study: "41" }));
    const [foreign] = studies.map(({ id }) => id);
    const owner = await t.addPerson("Dona de Um");
    const own = (await t.store(owner, sampleZip({ study: "42" }))).studies[0]?.id ?? "";
    const ticket = (await (await askTicket([own, foreign], owner)).json()) as StudiesDownloadTicket;
    expect(ticket.leftOut).toEqual([
      { id: foreign ?? "", code: "study.not_found", message: "Exam not found." },
    ]);
    const alone = await t.call("GET", `/api/studies/${own}/download`, { as: owner });
    expect(digest(await bytesOf(await t.call("GET", ticket.url)))).toBe(digest(await bytesOf(alone)));
    expect((await problemOf(await askTicket([foreign], owner))).code).toBe("study.not_found");
    expect((await askTicket([], owner)).status).toBe(400);
    expect(
      (
        await askTicket(
          Array.from({ length: 51 }, () => own),
          owner,
        )
      ).status,
    ).toBe(400);
  });

  test("leaves out an exam whose file is gone, and says which", async () => {
    const owner = await t.addPerson("Dona de Dois");
    const { studies } = await t.store(owner, sampleZip({ study: "71" }, { study: "72" }));
    const [lost = "", kept = ""] = studies.map(({ id }) => id);
    await t.settle();
    const [volume] = await listVolumes(t.deps.db, lost);
    rmSync(join(t.deps.config.dataDir, "objects", volume?.key ?? ""));
    const ticket = (await (await askTicket([lost, kept], owner)).json()) as StudiesDownloadTicket;
    expect(ticket.leftOut.map(({ id }) => id)).toEqual([lost]);
    const bytes = await bytesOf(await t.call("GET", ticket.url));
    expect(Object.values(unzipSync(bytes)).map(digest)).toEqual([digest(sampleInstance({ study: "72" }))]);
    expect((await problemOf(await askTicket([lost], owner))).code).toBe("archive.damaged");
  });

  test("takes all of its actions or none", async () => {
    const owner = await t.addPerson("Quase no Limite");
    const { studies } = await t.store(owner, sampleZip({ study: "51" }, { study: "52" }));
    const { actionLimit } = (await (
      await t.call("GET", "/api/subscriptions/usage-stats", { as: owner })
    ).json()) as UsageStats;
    await t.sql`update subscriptions set downloads = ${actionLimit - 1} where user_id = ${owner.id}`;
    const { url } = (await (
      await askTicket(
        studies.map(({ id }) => id),
        owner,
      )
    ).json()) as DownloadTicket;
    expect((await problemOf(await t.call("GET", url))).code).toBe("quota.actions");
    const [row] = await t.sql`select downloads from subscriptions where user_id = ${owner.id}`;
    expect(row?.downloads).toBe(actionLimit - 1);
  });
});
