import { afterAll, beforeAll, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { zipSync } from "fflate";
import { createRecheck, UNWATCHED_BYTES } from "../../../src/server/http/while-allowed.ts";
import type { MadeAccessToken } from "../../../src/shared/api/access-tokens.ts";
import type { LabExam } from "../../../src/shared/api/labs.ts";
import type { CreatedLink, Visit } from "../../../src/shared/api/links.ts";
import type { Role } from "../../../src/shared/api/users.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { createRandom } from "../../../src/shared/phantom/random.ts";
import { packed, sampleKinds } from "../../support/app/damaged-study.ts";
import { getSlowly } from "../../support/app/slow-reader.ts";
import { STOW_HEADERS, stow, stowBody } from "../../support/app/stow.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";
import { tusHeaders, tusOf } from "../../support/app/tus.ts";
import { DEFLATED, sampleFile } from "../../support/dicom/dicom-sample.ts";
import { formBody, samplePdf } from "../../support/pdf/sample-pdf.ts";
import { sampleInstance, sampleZip, studyUID } from "../../support/zip/sample-zip.ts";

const STUDY = "/dicomweb/studies/2.25.1.1";
const FRAMES = "/studies/2.25.1.1/series/2.25.2.1.2/instances/2.25.3.1.2.1/frames/1,2,3,4,5";
const kinds = sampleKinds();

let t: TestApp;
let admin: Person;
let owner: Person;
let id: string;

beforeAll(async () => {
  t = await createTestApp();
  admin = await t.addPerson("Administradora", { role: "admin", plan: null });
}, 240_000);
afterAll(() => t[Symbol.asyncDispose]());
beforeEach(async () => {
  owner = await t.addPerson("Dona do Exame", { plan: "clinica" });
  // Two volumes, so that a download joins them.
  const { deflatedDataSet, ...first } = kinds;
  await t.store(owner, packed(first));
  const { studies } = await t.store(owner, packed({ deflatedDataSet: deflatedDataSet ?? new Uint8Array() }));
  id = studies[0]?.id ?? "";
});

async function program(): Promise<Person & { tokenId: string }> {
  const json = { name: "Programa", scopes: ["dicomweb:read", "api"] };
  const answer = await t.call("POST", "/api/tokens", { as: owner, json });
  const { token, id: tokenId } = (await answer.json()) as MadeAccessToken;
  return { ...owner, token, tokenId };
}

/** How an answer ends if something happens after its first bytes, and two seconds pass. */
async function endOf(answer: Response, meanwhile: () => unknown): Promise<"whole" | "cut"> {
  expect(answer.status).toBe(200);
  const reader = answer.body?.getReader();
  expect((await reader?.read())?.value?.length).toBeGreaterThan(0);
  await meanwhile();
  t.advance(2_000);
  try {
    while (!(await reader?.read())?.done);
    return "whole";
  } catch {
    return "cut";
  }
}

const get = (path: string, as?: Person) => t.call("GET", path, { as });
const signOut = () => t.call("POST", "/api/auth/logout", { as: owner });
const block = () => t.call("PATCH", `/api/users/${owner.id}`, { as: admin, json: { isAuthorized: false } });

async function ticketUrl(path: string): Promise<string> {
  const answer = await t.call("POST", path, { as: owner });
  expect(answer.status).toBe(201);
  return ((await answer.json()) as { url: string }).url;
}

async function visited(studyId = id): Promise<{ link: CreatedLink; token: string }> {
  const made = await t.call("POST", "/api/links", {
    as: owner,
    json: { studyIds: [studyId], download: true },
  });
  const link = (await made.json()) as CreatedLink;
  const secret = new URL(link.url).hash.slice(1);
  const opened = await t.call("POST", "/api/visits", { json: { link: link.id, secret } });
  return { link, token: ((await opened.json()) as Visit).token };
}

describe("what is being sent breaks off", () => {
  test.each(["", "/series/2.25.2.1.1", "/metadata", "/bulkdata"])(
    "when its access token ends (%s)",
    async (place) => {
      const reader = await program();
      const answer = await get(`${STUDY}${place}`, reader);
      const end = () => t.call("DELETE", `/api/tokens/${reader.tokenId}`, { as: owner });
      expect(await endOf(answer, end)).toBe("cut");
      expect((await get(`${STUDY}${place}`, reader)).status).toBe(401);
    },
  );

  test("when its account is blocked", async () => {
    expect(await endOf(await get(STUDY, await program()), block)).toBe("cut");
  });

  test("when the subscription ends", async () => {
    const end = () => t.sql`update subscriptions set expires_at = now() - interval '1 day'
      where user_id = ${owner.id}`;
    expect(await endOf(await get(STUDY, owner), end)).toBe("cut");
    await t.sql`update subscriptions set expires_at = null where user_id = ${owner.id}`;
    const ticket = await ticketUrl(`/api/studies/${id}/download-ticket`);
    expect(await endOf(await get(ticket), end)).toBe("cut");
  });

  test("when the grant ends, or the study is deleted", async () => {
    const grantee = await t.addPerson("Convidada");
    const give = () =>
      t.call("POST", `/api/studies/${id}/assign`, { as: owner, json: { userId: grantee.id } });
    expect((await give()).status).toBe(200);
    const take = () => t.call("DELETE", `/api/studies/${id}/grants/${grantee.id}`, { as: owner });
    expect(await endOf(await get(`/api/studies/${id}/download?as=pdi`, grantee), take)).toBe("cut");
    await give();
    expect(await endOf(await get(`${STUDY}/series/2.25.2.1.1`, grantee), take)).toBe("cut");
    await give();
    const remove = () => t.call("DELETE", `/api/studies/${id}`, { as: owner });
    expect(await endOf(await get(`/api/studies/${id}/download`, grantee), remove)).toBe("cut");
  });

  test.each(["", "/series/2.25.2.1.1", "/bulkdata"])(
    "when its reader may not download any more, although they still see the study (%s)",
    async (place) => {
      const grantee = await t.addPerson("Convidada");
      await t.call("POST", `/api/studies/${id}/assign`, { as: owner, json: { userId: grantee.id } });
      const be = (role: Role) => t.call("PATCH", `/api/users/${grantee.id}`, { as: admin, json: { role } });
      const answer = await get(`${STUDY}${place}`, grantee);
      expect(await endOf(answer, () => be("doctor"))).toBe("cut");
      expect((await get(`${STUDY}${place}`, grantee)).status).toBe(403);
      expect((await get(`${STUDY}/metadata`, grantee)).status).toBe(200);
    },
  );

  test("when the session of a ticket ends: a ZIP, a medium, an export", async () => {
    for (const path of ["download-ticket", "download-ticket?as=pdi"]) {
      const url = await ticketUrl(`/api/studies/${id}/download-ticket`);
      const again = await t.call("POST", "/api/auth/login", { json: owner });
      expect(await endOf(await get(path.includes("pdi") ? `${url}?as=pdi` : url), signOut)).toBe("cut");
      owner = { ...owner, token: ((await again.json()) as { token: string }).token };
    }
    expect(await endOf(await get(await ticketUrl("/api/users/export-ticket")), signOut)).toBe("cut");
  });

  test("when a link ends: a list of frames, and a ZIP", async () => {
    for (const pathOf of [
      (token: string) => `/dicomweb/t/${token}${FRAMES}`,
      (token: string) => `/dicomweb/t/${token}${STUDY.slice("/dicomweb".length)}/metadata`,
      (token: string) => `/api/visits/${token}/studies/${id}/download`,
    ]) {
      const { link, token } = await visited();
      const end = () => t.call("DELETE", `/api/links/${link.id}`, { as: owner });
      expect(await endOf(await get(pathOf(token)), end)).toBe("cut");
    }
  });

  test("when the viewer's session ends: a list of frames", async () => {
    const data = Buffer.from(JSON.stringify([{ userId: owner.id, id }])).toString("base64url");
    const { token } = (await (await get(`/generate-token?data=${data}`, owner)).json()) as { token: string };
    expect(await endOf(await get(`/dicomweb/t/${token}${FRAMES}`), signOut)).toBe("cut");
  });
});

/** A series whose metadata are sent in pieces, and are too many for a search to be answered at once. */
async function storeWordy(): Promise<void> {
  const noise = createRandom(1);
  const text = () => Array.from({ length: 60 }, () => noise().toString(36).slice(2)).join(" ");
  const elements = Object.fromEntries(
    Array.from({ length: 300 }, (_, i) => [
      `0029${(0x1000 + i).toString(16)}`,
      { vr: "LT", Value: [text()] },
    ]),
  );
  const instances = Array.from({ length: 50 }, (_, i) => ({ study: "80", sop: String(i + 1), elements }));
  await t.store(owner, sampleZip(...instances));
}

test("what is being sent of long metadata breaks off when its access token ends", async () => {
  await storeWordy();
  const series = "/studies/2.25.1.80/series/2.25.2.80.1";
  for (const path of [
    `${series}/metadata`,
    `${series}/instances?includefield=all`,
    `/instances?StudyInstanceUID=2.25.1.80&includefield=all`,
  ]) {
    const reader = await program();
    const end = () => t.call("DELETE", `/api/tokens/${reader.tokenId}`, { as: owner });
    expect([path, await endOf(await get(`/dicomweb${path}`, reader), end)]).toEqual([path, "cut"]);
  }
  expect(await endOf(await get(`/dicomweb${series}/metadata`, owner), () => undefined)).toBe("whole");
});

test("a large instance, value and frame that are sent as parts break off when their reader's access ends", async () => {
  await t.store(owner, sampleZip({ study: "81", elements: largeImage() }));
  const instance = "/dicomweb/studies/2.25.1.81/series/2.25.2.81.1/instances/2.25.3.81.1.1";
  for (const path of [instance, `${instance}/bulkdata/7FE00010`, `${instance}/frames/1`]) {
    const reader = await program();
    const end = () => t.call("DELETE", `/api/tokens/${reader.tokenId}`, { as: owner });
    expect([path, await endOf(await get(path, reader), end)]).toEqual([path, "cut"]);
    expect(await endOf(await get(path, owner), () => undefined)).toBe("whole");
  }
});

test("a large first image breaks off when its viewer's access ends", async () => {
  const { studies } = await t.store(owner, sampleZip({ study: "83", elements: largeImage() }));
  const study = studies[0]?.id ?? "";
  const place = `studies/${study}/first-image/frame`;
  const { link, token } = await visited(study);
  const end = () => t.call("DELETE", `/api/links/${link.id}`, { as: owner });
  expect(await endOf(await get(`/api/visits/${token}/${place}`), () => undefined)).toBe("whole");
  expect(await endOf(await get(`/api/visits/${token}/${place}`), end)).toBe("cut");
  expect(await endOf(await get(`/api/${place}`, owner), () => undefined)).toBe("whole");
  expect(await endOf(await get(`/api/${place}`, owner), signOut)).toBe("cut");
});

test("a large value and a large frame of a small deflated instance break off when their reader's access ends", async () => {
  const uids = {
    [TagHex.StudyInstanceUID]: { vr: "UI", Value: ["2.25.1.84"] },
    [TagHex.SeriesInstanceUID]: { vr: "UI", Value: ["2.25.2.84.1"] },
    [TagHex.SOPInstanceUID]: { vr: "UI", Value: ["2.25.3.84.1.1"] },
  };
  const file = sampleFile({ ...uids, ...largeImage() }, { transferSyntaxUID: DEFLATED });
  expect(file.length).toBeLessThan(UNWATCHED_BYTES);
  await t.store(owner, zipSync({ IM0: file }, { level: 0 }));
  const instance = "/dicomweb/studies/2.25.1.84/series/2.25.2.84.1/instances/2.25.3.84.1.1";
  for (const path of [`${instance}/bulkdata/7FE00010`, `${instance}/frames/1`]) {
    const reader = await program();
    const end = () => t.call("DELETE", `/api/tokens/${reader.tokenId}`, { as: owner });
    expect([path, await endOf(await get(path, reader), end)]).toEqual([path, "cut"]);
    expect(await endOf(await get(path, owner), () => undefined)).toBe("whole");
  }
});

const LARGE_SIDE = 2_800;

function largeImage(pixels = new Uint8Array(LARGE_SIDE * LARGE_SIDE * 2)) {
  const side = { vr: "US", Value: [LARGE_SIDE] };
  return {
    [TagHex.Rows]: side,
    [TagHex.Columns]: side,
    [TagHex.PixelData]: { vr: "OW", bytes: pixels },
  };
}

/** A study of one large image with its laudo, and a laboratory exam; their addresses. */
async function storeLarge(): Promise<string[]> {
  const pixels = new Uint8Array(LARGE_SIDE * LARGE_SIDE * 2);
  const elements = largeImage(pixels);
  const { studies } = await t.store(
    owner,
    zipSync({ IM0: sampleInstance({ study: "82", elements }) }, { level: 0 }),
  );
  const study = studies[0]?.id ?? "";
  pixels.set(samplePdf());
  const attach = async (path: string, name: string, fields: Record<string, string>) => {
    const form = await formBody(fields, { name, bytes: pixels });
    expect((await t.call("POST", path, { as: owner, ...form })).status).toBe(201);
  };
  await attach("/api/studies/laudo/upload", "laudo", { studyInstanceUID: study });
  await attach("/api/exams-lab/upload", "file", { examName: "Hemograma", modality: "LAB" });
  await t.settle();
  const { token } = await visited(study);
  const labs = (await (await get("/api/exams-lab", owner)).json()) as LabExam[];
  const series = "/dicomweb/studies/2.25.1.82/series/2.25.2.82.1";
  return [
    `${series}/instances/2.25.3.82.1.1`,
    series,
    `${series}/instances/2.25.3.82.1.1/bulkdata/7FE00010`,
    `/api/studies/${study}/download`,
    `/api/studies/laudo/${study}`,
    `/fhir/Binary/${study}`,
    `/api/exams-lab/${labs[0]?.id}/view`,
    `/api/visits/${token}/studies/${study}/laudo`,
    `/api/visits/${token}/studies/${study}/download`,
  ];
}

test("one large file breaks off when its reader's access ends, and is sent whole until then", async () => {
  const paths = await storeLarge();
  const origin = await t.listen();
  const begin = (asked: string[]) =>
    Promise.all(
      asked.map((path) =>
        getSlowly(`${origin}${path}`, {
          authorization: `Bearer ${owner.token}`,
          accept: "application/dicom, application/octet-stream, application/pdf",
          range: "bytes=1-",
        }),
      ),
    );
  const [first] = await begin(paths.slice(0, 1));
  const whole = await first?.rest();
  expect(whole?.readBytes).toBe(whole?.lengthBytes ?? 0);
  const readers = await begin(paths);
  await block();
  t.advance(2_000);
  // Longer than the server takes to look again.
  await Bun.sleep(1_000);
  for (const [place, reader] of readers.entries()) {
    const { lengthBytes, readBytes } = await reader.rest();
    expect([paths[place], readBytes < lengthBytes]).toEqual([paths[place], true]);
  }
});

/** A body that goes on after something else happened, and two seconds later. */
function bodyOf(bytes: Uint8Array, meanwhile: () => unknown): ReadableStream<Uint8Array> {
  let isBegun = false;
  return new ReadableStream({
    async pull(controller) {
      if (!isBegun) {
        isBegun = true;
        return controller.enqueue(bytes.slice(0, 100));
      }
      await meanwhile();
      t.advance(2_000);
      controller.enqueue(bytes.slice(100));
      controller.close();
    },
  });
}

test("what is being stored when its access token ends is refused, and none of it is kept", async () => {
  const made = await t.call("POST", "/api/tokens", {
    as: owner,
    json: { name: "Modalidade", scopes: ["dicomweb:write"] },
  });
  const { id: tokenId, token } = (await made.json()) as MadeAccessToken;
  const instances = [1, 2].map((sop) => sampleInstance({ study: "77", sop: String(sop) }));
  const send = (meanwhile: () => unknown) => {
    const body = bodyOf(stowBody(instances), meanwhile);
    return t.call("POST", "/dicomweb/studies", { as: { ...owner, token }, headers: STOW_HEADERS, body });
  };
  const kept = async () =>
    (await t.sql`select 1 from studies where account_id = ${owner.id} and study_instance_uid = '2.25.1.77'`)
      .length;
  expect((await send(() => t.call("DELETE", `/api/tokens/${tokenId}`, { as: owner }))).status).toBe(401);
  expect(await kept()).toBe(0);
  const again = await t.call("POST", "/api/tokens", {
    as: owner,
    json: { name: "Modalidade", scopes: ["dicomweb:write"] },
  });
  const program = { ...owner, token: ((await again.json()) as MadeAccessToken).token };
  expect((await stow(t, program, instances)).status).toBe(200);
  expect(await kept()).toBe(1);
});

test("an upload whose account is blocked while it comes is refused, and none of it is kept", async () => {
  const form = new FormData();
  form.set("zipFile", new File([Uint8Array.from(sampleZip({ study: "78" }))], "exame.zip"));
  const whole = new Request("http://localhost/", { method: "POST", body: form });
  const headers = { "content-type": whole.headers.get("content-type") ?? "" };
  const body = bodyOf(await whole.bytes(), block);
  expect((await t.call("POST", "/api/upload-dicom", { as: owner, headers, body })).status).toBe(401);
  const kept = await t.sql`select 1 from studies
    where account_id = ${owner.id} and study_instance_uid = ${studyUID("78")}`;
  expect(kept).toHaveLength(0);
});

test("a PDF whose sender is blocked or signs out while it comes is refused, and none of it is kept", async () => {
  const send = async (path: string, fields: Record<string, string>, meanwhile: () => unknown) => {
    const file = { name: path.includes("laudo") ? "laudo" : "file", bytes: samplePdf() };
    const { body, headers } = await formBody(fields, file);
    const slow = bodyOf(new Uint8Array(body), meanwhile);
    return (await t.call("POST", path, { as: owner, headers, body: slow })).status;
  };
  const lab = { examName: "Hemograma", modality: "LAB" };
  expect(await send("/api/exams-lab/upload", lab, () => {})).toBe(201);
  expect(await send("/api/exams-lab/upload", lab, block)).toBe(401);
  await t.call("PATCH", `/api/users/${owner.id}`, { as: admin, json: { isAuthorized: true } });
  const again = await t.call("POST", "/api/auth/login", { json: owner });
  owner = { ...owner, token: ((await again.json()) as { token: string }).token };
  expect(await send("/api/studies/laudo/upload", { studyInstanceUID: id }, signOut)).toBe(401);
  const labs = await t.sql`select 1 from lab_exams where account_id = ${owner.id}`;
  const reports = await t.sql`select 1 from reports where study_id = ${id}`;
  expect([labs.length, reports.length]).toEqual([1, 0]);
});

test("what was sent is refused if access ended while it waited for its turn, and none of it is kept", async () => {
  const { ingestWorkers } = t.deps;
  const open = ingestWorkers.open.bind(ingestWorkers);
  using opening = spyOn(ingestWorkers, "open");
  opening.mockImplementation(async (...asked) => {
    await block();
    t.advance(2_000);
    return await open(...asked);
  });
  expect((await t.upload(owner, sampleZip({ study: "82" }))).status).toBe(401);
  await t.call("PATCH", `/api/users/${owner.id}`, { as: admin, json: { isAuthorized: true } });
  const again = await t.call("POST", "/api/auth/login", { json: owner });
  owner = { ...owner, token: ((await again.json()) as { token: string }).token };
  expect((await stow(t, owner, [sampleInstance({ study: "82" })])).status).toBe(401);
  const kept = await t.sql`select 1 from studies
    where account_id = ${owner.id} and study_instance_uid = ${studyUID("82")}`;
  expect(kept).toHaveLength(0);
});

test("an upload in pieces stops where its access token ended, and goes on from there with another one", async () => {
  const zip = sampleZip({ study: "79" });
  const first = await program();
  const url = await tusOf(t, first).begin(zip.length);
  const headers = {
    ...tusHeaders,
    "content-type": "application/offset+octet-stream",
    "upload-offset": "0",
  };
  const end = () => t.call("DELETE", `/api/tokens/${first.tokenId}`, { as: owner });
  const body = bodyOf(zip, end);
  expect((await t.call("PATCH", url, { as: first, headers, body })).status).toBe(401);
  const second = tusOf(t, await program());
  expect((await second.head(url)).headers.get("upload-offset")).toBe("100");
  expect((await second.patch(url, 100, zip.slice(100))).status).toBe(204);
  expect((await second.outcome(url)).state).toBe("done");
});

test("a question that the database can't answer cuts nothing, and is not asked again at once", async () => {
  let now = 0;
  let asked = 0;
  const recheck = createRecheck(
    () => now,
    async () => {
      asked++;
      throw Object.assign(new Error("gone"), { code: "CONNECTION_CLOSED" });
    },
  );
  for (; now < 120_000; now += 500) await recheck();
  expect(asked).toBe(2);
});

test("an answer of one file has its length", async () => {
  const accept = { accept: "application/dicom, application/octet-stream" };
  const instance = `${STUDY}/series/2.25.2.1.2/instances/2.25.3.1.2.1`;
  const origin = await t.listen();
  for (const path of [instance, `${STUDY}/series/2.25.2.1.2`, `${instance}/bulkdata/7FE00010`]) {
    const headers = { ...accept, authorization: `Bearer ${owner.token}` };
    const answer = await fetch(`${origin}${path}`, { headers });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-length")).toBe(String((await answer.bytes()).length));
  }
});

test("what is being sent is sent whole while its reader may have it", async () => {
  const reader = await program();
  const { token } = await visited();
  for (const answer of [
    await get(STUDY, reader),
    await get(`${STUDY}/metadata`, reader),
    await get(`/api/studies/${id}/download`, owner),
    await get(`/api/studies/${id}/download?as=pdi`, owner),
    await get(await ticketUrl("/api/users/export-ticket")),
    await get(`/dicomweb/t/${token}${FRAMES}`),
    await get(`/api/visits/${token}/studies/${id}/download`),
  ])
    expect(await endOf(answer, () => undefined)).toBe("whole");
});
