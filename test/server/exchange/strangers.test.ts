import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { MadeAccessToken, TokenScope } from "../../../src/shared/api/access-tokens.ts";
import type { CreatedLink, Visit } from "../../../src/shared/api/links.ts";
import { noise } from "../../support/app/damaged-study.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";
import { formBody, samplePdf } from "../../support/pdf/sample-pdf.ts";
import { sampleZip, studyUID } from "../../support/zip/sample-zip.ts";

/* Every address of a study, asked by everybody who may not have it, in every way. */

const UID = studyUID("1");
const SERIES = "2.25.2.1.1";
const [OWN, OTHER] = ["2.25.3.1.1.1", "2.25.3.1.1.2"];

let t: TestApp;
let owner: Person;
/** Has a study and a series of the same UIDs, with another instance. */
let namesake: Person;
let stranger: Person;
let id: string;
const versions = new Map<string, string>();

async function tokenOf(person: Person, scopes: TokenScope[]): Promise<Person> {
  const made = await t.call("POST", "/api/tokens", { as: person, json: { name: "Programa", scopes } });
  return { ...person, token: ((await made.json()) as MadeAccessToken).token };
}

beforeAll(async () => {
  t = await createTestApp();
  owner = await t.addPerson("Dona", { plan: "clinica" });
  namesake = await t.addPerson("Homônima", { plan: "clinica" });
  stranger = await t.addPerson("Estranha", { plan: "clinica" });
  const elements = { "00420011": { vr: "OB", bytes: noise(12_000) } };
  id = (await t.store(owner, sampleZip({ study: "1", elements }))).studies[0]?.id ?? "";
  await t.store(namesake, sampleZip({ study: "1", sop: "2", elements }));
  const form = await formBody({ studyInstanceUID: id }, { name: "laudo", bytes: samplePdf() });
  expect((await t.call("POST", "/api/studies/laudo/upload", { as: owner, ...form })).status).toBe(201);
  await t.settle();
}, 240_000);
afterAll(() => t[Symbol.asyncDispose]());

const ofInstance = (study: string, sop: string) => {
  const instance = `/studies/${study}/series/${SERIES}/instances/${sop}`;
  return [
    instance,
    `${instance}/metadata`,
    `${instance}/frames/1`,
    `${instance}/frames/1,1`,
    `${instance}/bulkdata/00420011`,
    `${instance}/bulkdata/7FE00010`,
    `${instance}/bulkdata`,
    `${instance}/pixeldata`,
    `${instance}/rendered`,
    `${instance}/thumbnail`,
    `${instance}/frames/1/rendered`,
    `${instance}/frames/1/thumbnail`,
  ];
};
const ofStudy = (study: string) => [
  `/studies/${study}`,
  `/studies/${study}/metadata`,
  `/studies/${study}/series`,
  `/studies/${study}/instances`,
  `/studies/${study}/rendered`,
  `/studies/${study}/thumbnail`,
  ...["", "/metadata", "/instances", "/rendered", "/thumbnail"].map(
    (place) => `/studies/${study}/series/${SERIES}${place}`,
  ),
];
const dicomweb = (study: string) => [...ofStudy(study), ...ofInstance(study, OWN)];
const others = () => [
  `/api/studies/laudo/${id}`,
  ...["download", "download?as=pdi", "series", "status", "grants", "audit", "receipt", "receipts"]
    .concat("thumbnail", `series/${SERIES}/thumbnail`, "first-image/metadata", "first-image/frame")
    .concat("kept-instances", "invitations")
    .map((place) => `/api/studies/${id}/${place}`),
];
const fhir = () => ["ImagingStudy", "DiagnosticReport", "Binary"].map((type) => `/fhir/${type}/${id}`);

const accept = { accept: 'multipart/related; type="*/*", application/dicom, application/dicom+json, */*' };

/** The statuses of an address, asked by each method and with what its owner knows of its versions. */
async function askedBy(path: string, as?: Person): Promise<number[]> {
  const version = versions.get(path) ?? '"0"';
  const ways: [string, Record<string, string>][] = [
    ["GET", {}],
    ["HEAD", {}],
    ["GET", { "if-none-match": version }],
    ["HEAD", { "if-none-match": `W/"x", ${version}` }],
    ["GET", { "if-none-match": "*" }],
    ["GET", { range: "bytes=0-9" }],
    ["GET", { range: "bytes=0-9", "if-range": version }],
    ["GET", { range: "bytes=999999999-" }],
  ];
  const statuses: number[] = [];
  for (const [method, headers] of ways) {
    const answer = await t.call(method, path, { as, headers: { ...accept, ...headers } });
    await answer.body?.cancel();
    expect(answer.headers.get("etag")).toBeNull();
    statuses.push(answer.status);
  }
  return [...new Set(statuses)].sort();
}

describe("what is somebody else's", () => {
  test("has versions that its owner knows", async () => {
    for (const path of [...dicomweb(id), ...dicomweb(UID)].map((place) => `/dicomweb${place}`)) {
      const answer = await t.call("GET", path, { as: owner, headers: accept });
      await answer.body?.cancel();
      expect([path, answer.status]).toEqual([path, 200]);
      versions.set(path, answer.headers.get("etag") ?? '"0"');
    }
    expect(versions.size).toBeGreaterThan(30);
  });

  test("does not exist for a stranger, at any address and by any method", async () => {
    const program = await tokenOf(stranger, ["dicomweb:read", "api"]);
    for (const path of [
      ...[...dicomweb(id), ...dicomweb(UID)].map((place) => `/dicomweb${place}`),
      ...others(),
      ...fhir(),
    ]) {
      expect([path, await askedBy(path, stranger)]).toEqual([path, [404]]);
      const asProgram = await askedBy(path, program);
      expect([path, asProgram.filter((status) => status !== 404 && status !== 403)]).toEqual([path, []]);
    }
  });

  test("does not exist for somebody with a study and a series of the same UIDs", async () => {
    for (const path of [...dicomweb(id), ...ofInstance(UID, OWN)].map((place) => `/dicomweb${place}`))
      expect([path, await askedBy(path, namesake)]).toEqual([path, [404]]);
    const listed = await t.call("GET", `/dicomweb/studies/${UID}/instances`, { as: namesake });
    expect(await listed.text()).not.toContain(OWN);
    for (const place of [`/studies/${UID}`, `/studies/${UID}/metadata`, `/studies/${UID}/series/${SERIES}`]) {
      const text = await (await t.call("GET", `/dicomweb${place}`, { as: namesake, headers: accept })).text();
      expect([text.includes(OTHER), text.includes(`${OWN}\0`), text.includes(`"${OWN}"`)]).toEqual([
        true,
        false,
        false,
      ]);
    }
  });

  test("is closed to a token that may only write, and to one without a scope for it", async () => {
    const writer = await tokenOf(owner, ["dicomweb:write"]);
    for (const path of [
      ...dicomweb(id).map((place) => `/dicomweb${place}`),
      ...others(),
      ...fhir(),
      "/dicomweb/studies",
      "/fhir/ImagingStudy",
    ])
      expect([path, (await askedBy(path, writer)).filter((status) => status !== 404)]).toEqual([path, [403]]);
    const reader = await tokenOf(owner, ["dicomweb:read"]);
    const stored = await t.call("POST", "/dicomweb/studies", {
      as: reader,
      body: new Uint8Array(1),
      headers: { "content-type": "application/dicom" },
    });
    expect(stored.status).toBe(403);
  });

  test("is closed to nobody's token, wherever it stands", async () => {
    const { token } = await tokenOf(owner, ["dicomweb:read", "api"]);
    for (const query of [
      `access_token=${token}`,
      `token=${token}`,
      `authorization=Bearer%20${token}`,
      `accept=Bearer ${token}`,
    ])
      expect([query, (await t.call("GET", `/dicomweb/studies?${query}`)).status]).toEqual([query, 401]);
    expect((await t.call("GET", `/dicomweb/t/${token}/studies`)).status).toBe(401);
    expect((await t.call("GET", "/dicomweb/studies", { headers: { cookie: `token=${token}` } })).status).toBe(
      401,
    );
    for (const path of dicomweb(id).map((place) => `/dicomweb${place}`))
      expect([path, await askedBy(path)]).toEqual([path, [401]]);
  });
});

test("a study that leaves a link while it goes on is gone for its visitor at the next request, and the other one stays", async () => {
  const second = (await t.store(owner, sampleZip({ study: "5" }))).studies[0]?.id ?? "";
  const third = (await t.store(owner, sampleZip({ study: "6" }))).studies[0]?.id ?? "";
  const made = await t.call("POST", "/api/links", {
    as: owner,
    json: { studyIds: [second, third], download: true },
  });
  const link = (await made.json()) as CreatedLink;
  const secret = new URL(link.url).hash.slice(1);
  const opened = await t.call("POST", "/api/visits", { json: { link: link.id, secret } });
  const { token } = (await opened.json()) as Visit;
  const viewed = (study: string) => {
    const series = `/studies/${studyUID(study)}/series/2.25.2.${study}.1`;
    const instance = `${series}/instances/2.25.3.${study}.1.1`;
    const places = [
      `${instance}/frames/1`,
      `${instance}/metadata`,
      `${series}/metadata`,
      `${instance}/rendered`,
      `${instance}/bulkdata/7FE00010`,
      `/studies/${studyUID(study)}/series`,
    ];
    return places.map((place) => `/dicomweb/t/${token}${place}`);
  };
  const visited = (study: string) =>
    ["download", "thumbnail", "first-image/metadata", "first-image/frame"].map(
      (place) => `/api/visits/${token}/studies/${study}/${place}`,
    );
  const statuses = async (paths: string[]) => {
    const found = new Set<number>();
    for (const path of paths) {
      const answer = await t.call("GET", path);
      await answer.body?.cancel();
      found.add(answer.status);
    }
    return [...found];
  };
  expect(await statuses([...viewed("5"), ...viewed("6")])).toEqual([200]);
  expect((await t.call("DELETE", `/api/studies/${second}`, { as: owner })).status).toBe(200);
  expect(await statuses([...viewed("5"), ...visited(second)])).toEqual([404]);
  expect(await statuses(viewed("6"))).toEqual([200]);
});
