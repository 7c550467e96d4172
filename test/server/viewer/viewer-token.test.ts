import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { leasesEnded } from "../../../src/server/db/leased-statement.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { createTestApp, type Person, problemOf, type TestApp } from "../../support/app/test-app.ts";
import { sampleInstance, sampleZip, studyUID } from "../../support/zip/sample-zip.ts";

const STUDY = `/studies/${studyUID("1")}`;
const SERIES = `${STUDY}/series/2.25.2.1.1`;
const IMAGE = `${SERIES}/instances/2.25.3.1.1.1`;
const DOCUMENT = `${STUDY}/series/2.25.2.1.9/instances/2.25.3.1.9.1`;
/** An instance without pixels, as a structured report is, and with a long value. */
const document = {
  [TagHex.SOPClassUID]: { vr: "UI", Value: ["1.2.840.10008.5.1.4.1.1.88.11"] },
  "00420011": { vr: "OB", bytes: new Uint8Array(2_000).fill(7) },
  [TagHex.PixelData]: { vr: "OW" },
};

let t: TestApp;
let owner: Person;
let doctor: Person;
let relative: Person;
let studyId: string;

beforeAll(async () => {
  t = await createTestApp();
  owner = await t.addPerson("Dona do Exame");
  doctor = await t.addPerson("Doutora", { role: "doctor", plan: null });
  relative = await t.addPerson("Parente");
  const stored = await t.store(
    owner,
    sampleZip({ study: "1" }, { study: "1", sop: "2" }, { study: "1", series: "9", elements: document }),
  );
  studyId = stored.studies[0]?.id ?? "";
  for (const { id } of [doctor, relative]) {
    await t.call("POST", `/api/studies/${studyId}/assign`, { as: owner, json: { userId: id } });
  }
}, 240_000);
afterAll(() => t[Symbol.asyncDispose]());
beforeEach(async () => {
  await t.sql`delete from downloads`;
  await t.sql`update subscriptions set downloads = 0, deletes = 0,
    status = 'active', expires_at = null`;
});

async function viewerOf(as: Person): Promise<string> {
  const data = Buffer.from(JSON.stringify([{ userId: as.id, id: studyId }])).toString("base64url");
  const answer = await t.call("GET", `/generate-token?data=${data}`, { as });
  expect(answer.status).toBe(200);
  return `/dicomweb/t/${((await answer.json()) as { token: string }).token}`;
}

const statusOf = async (path: string, as?: Person) => (await t.call("GET", path, { as })).status;

async function downloadsOf({ id }: Person): Promise<number> {
  const [row] = await t.sql<{ count: number }[]>`
    select downloads as count from subscriptions where user_id = ${id}`;
  return row?.count ?? 0;
}

describe("a viewer token", () => {
  test("is refused with a 400 for a pair that names no study", async () => {
    for (const pair of [{}, { id: "" }, { studyInstanceUID: "" }, { id: "", studyInstanceUID: "" }]) {
      const data = Buffer.from(JSON.stringify([{ userId: owner.id, ...pair }])).toString("base64url");
      expect([pair, await statusOf(`/generate-token?data=${data}`, owner)]).toEqual([pair, 400]);
    }
  });

  test("opens what the viewer displays: metadata, frames, bulk data and instances without an image", async () => {
    const viewer = await viewerOf(owner);
    for (const path of [
      "/studies",
      `${STUDY}/series`,
      `${STUDY}/instances`,
      `${STUDY}/metadata`,
      `${SERIES}/metadata`,
      `${IMAGE}/metadata`,
      `${IMAGE}/frames/1`,
      `${IMAGE}/bulkdata/7FE00010`,
      DOCUMENT,
    ]) {
      expect([path, await statusOf(viewer + path)]).toEqual([path, 200]);
    }
    expect(await downloadsOf(owner)).toBe(0);
  });

  test("downloads no study, series or image, in any format", async () => {
    const viewer = await viewerOf(owner);
    for (const path of [STUDY, SERIES, IMAGE, `${STUDY}/series/2.25.2.1.9`]) {
      for (const accept of ["*/*", "application/dicom", 'multipart/related; type="application/dicom"']) {
        const answer = await t.call("GET", viewer + path, { headers: { accept } });
        // One part can't hold several instances: that is said before anything else.
        if (answer.status === 406) continue;
        expect([path, accept, answer.status]).toEqual([path, accept, 403]);
        expect((await problemOf(answer)).code).toBe("viewer.retrieval_forbidden");
      }
    }
    const portuguese = await t.call("GET", viewer + STUDY, { headers: { "accept-language": "pt-BR" } });
    expect((await problemOf(portuguese)).message).toContain("O visualizador só mostra as imagens");
  });

  test("downloads no bulk data of a study, series or image, and those of a document as its file", async () => {
    const viewer = await viewerOf(owner);
    const accept = 'multipart/related; type="application/octet-stream"';
    for (const path of [STUDY, SERIES, IMAGE, `${STUDY}/series/2.25.2.1.9`])
      for (const below of ["", "/bulkdata", "/pixeldata"]) {
        const answer = await t.call("GET", viewer + path + below, { headers: { accept } });
        expect([path, below, answer.status]).toEqual([path, below, 403]);
        expect((await problemOf(answer)).code).toBe("viewer.retrieval_forbidden");
      }
    for (const [below, status] of Object.entries({ "/bulkdata": 200, "/pixeldata": 404 }))
      expect([below, await statusOf(viewer + DOCUMENT + below)]).toEqual([below, status]);
  });

  test("ends with the subscription that gave access, at the next frame", async () => {
    const viewer = await viewerOf(owner);
    expect(await statusOf(`${viewer}${IMAGE}/frames/1`)).toBe(200);
    await t.sql`update subscriptions set expires_at = now() - interval '1 second' where user_id = ${owner.id}`;
    await leasesEnded();
    for (const path of ["/studies", `${STUDY}/series`, `${SERIES}/metadata`, `${IMAGE}/frames/1`, DOCUMENT]) {
      const answer = await t.call("GET", viewer + path);
      expect([path, answer.status]).toEqual([path, 403]);
      expect((await problemOf(answer)).code).toBe("subscription.required");
    }
    await t.sql`update subscriptions set expires_at = null`;
    await leasesEnded();
    expect(await statusOf(`${viewer}${IMAGE}/frames/1`)).toBe(200);
  });

  test("that ends refuses the next frame also to a reader whose other frames are on their way", async () => {
    const viewer = await viewerOf(relative);
    const askFrames = (count: number) =>
      Promise.all(Array.from({ length: count }, () => statusOf(`${viewer}${IMAGE}/frames/1`)));
    expect(new Set(await askFrames(8))).toEqual(new Set([200]));
    const onTheirWay = askFrames(8);
    await t.sql`update users set is_authorized = false where id = ${relative.id}`;
    try {
      await leasesEnded();
      expect(new Set(await askFrames(8))).toEqual(new Set([401]));
      await onTheirWay;
    } finally {
      await t.sql`update users set is_authorized = true where id = ${relative.id}`;
    }
  });

  test("opens nothing on any node once the call that ended it is answered", async () => {
    await using other = await t.startAgain();
    const onOther = async (path: string) => (await other.app.request(path)).status;
    const passing = await t.addPerson("Passageira");
    const signIn = { email: passing.email, password: passing.password };
    const ends: [string, string, Person, number][] = [
      ["DELETE", `/api/studies/${studyId}/grants/${passing.id}`, owner, 404],
      ["POST", "/api/auth/logout", passing, 401],
    ];
    for (const [method, path, as, status] of ends) {
      const { token } = (await (await t.call("POST", "/api/auth/login", { json: signIn })).json()) as {
        token: string;
      };
      passing.token = token;
      await t.call("POST", `/api/studies/${studyId}/assign`, { as: owner, json: { userId: passing.id } });
      const frame = `${await viewerOf(passing)}${IMAGE}/frames/1`;
      expect([path, await onOther(frame)]).toEqual([path, 200]);
      let isOver = false;
      const reading = (async () => {
        while (!isOver) await onOther(frame);
      })();
      try {
        const ending = await t.call(method, path, { as });
        expect([path, ending.ok, await onOther(frame)]).toEqual([path, true, status]);
      } finally {
        isOver = true;
        await reading;
      }
    }
  });

  test("of a granted study needs a subscription of the grantee, unless they are a doctor or a lab", async () => {
    const [byDoctor, byRelative] = [await viewerOf(doctor), await viewerOf(relative)];
    await t.sql`update subscriptions set expires_at = now() - interval '1 second' where user_id in (${owner.id}, ${relative.id})`;
    await leasesEnded();
    expect(await statusOf(`${byDoctor}${IMAGE}/frames/1`)).toBe(200);
    expect(await statusOf(`${byRelative}${IMAGE}/frames/1`)).toBe(403);
  });

  test("of a doctor without a subscription opens nothing of their own, nor does their session", async () => {
    const viewer = await viewerOf(owner);
    try {
      await t.sql`update users set role = 'doctor' where id = ${owner.id}`;
      expect(await statusOf(`${viewer}${IMAGE}/frames/1`)).toBe(200);
      await t.sql`update subscriptions set expires_at = now() - interval '1 second' where user_id = ${owner.id}`;
      await leasesEnded();
      for (const path of [
        `${IMAGE}/frames/1`,
        `${SERIES}/metadata`,
        `${STUDY}/series`,
        `${STUDY}/metadata`,
      ]) {
        expect([path, await statusOf(viewer + path)]).toEqual([path, 404]);
      }
      const data = Buffer.from(JSON.stringify([{ userId: owner.id, id: studyId }])).toString("base64url");
      expect(await statusOf(`/generate-token?data=${data}`, owner)).toBe(403);
      for (const path of [`${IMAGE}/frames/1`, `${SERIES}/metadata`, `${STUDY}/metadata`, DOCUMENT])
        expect([path, await statusOf(`/dicomweb${path}`, owner)]).toEqual([path, 403]);
    } finally {
      await t.sql`update users set role = 'user' where id = ${owner.id}`;
    }
  });
});

describe("a session over DICOMweb", () => {
  test("downloads an instance bit for bit", async () => {
    const answer = await t.call("GET", `/dicomweb${IMAGE}`, {
      as: owner,
      headers: { accept: "application/dicom; transfer-syntax=*" },
    });
    expect(answer.status).toBe(200);
    expect(Buffer.from(await answer.bytes()).equals(sampleInstance({ study: "1" }))).toBe(true);
  });

  test("views for free", async () => {
    for (const path of [`${STUDY}/series`, `${SERIES}/metadata`, `${IMAGE}/frames/1`]) {
      expect([path, await statusOf(`/dicomweb${path}`, owner)]).toEqual([path, 200]);
    }
    expect((await t.call("HEAD", `/dicomweb${STUDY}`, { as: owner })).status).toBe(200);
    expect(await downloadsOf(owner)).toBe(0);
  });

  test("is charged for a study each time", async () => {
    for (const count of [1, 2]) {
      expect(await statusOf(`/dicomweb${STUDY}`, owner)).toBe(200);
      expect(await downloadsOf(owner)).toBe(count);
    }
  });

  test("is charged once an hour for a study's series and instances, also when they are requested at once", async () => {
    const paths = [SERIES, IMAGE, DOCUMENT, `${SERIES}/instances/2.25.3.1.1.2`].map(
      (path) => `/dicomweb${path}`,
    );
    expect(await Promise.all(paths.map((path) => statusOf(path, owner)))).toEqual([200, 200, 200, 200]);
    expect(await downloadsOf(owner)).toBe(1);
    t.advance(3600_000 + 1000);
    expect(await statusOf(paths[0] ?? "", owner)).toBe(200);
    expect(await downloadsOf(owner)).toBe(2);
  });

  test("downloads nothing without an action left, and is not charged for what is refused", async () => {
    const refused = await t.call("GET", `/dicomweb${STUDY}`, { as: owner, headers: { accept: "image/png" } });
    expect([refused.status, await downloadsOf(owner)]).toEqual([406, 0]);
    await t.sql`update subscriptions set downloads = 1000 where user_id = ${owner.id}`;
    for (const path of [STUDY, SERIES, IMAGE]) {
      const answer = await t.call("GET", `/dicomweb${path}`, { as: owner });
      expect([answer.status, (await problemOf(answer)).code]).toEqual([403, "quota.actions"]);
    }
    expect(await statusOf(`/dicomweb${IMAGE}/frames/1`, owner)).toBe(200);
  });

  test("is charged for all bulk data as for whole files, and not where there are none", async () => {
    const series = `/dicomweb${STUDY}/series/2.25.2.1.9`;
    expect(await statusOf(`${series}/pixeldata`, owner)).toBe(404);
    expect((await t.call("HEAD", `/dicomweb${STUDY}/bulkdata`, { as: owner })).status).toBe(200);
    expect(await downloadsOf(owner)).toBe(0);
    for (const path of [`${series}/bulkdata`, `/dicomweb${IMAGE}/pixeldata`, `/dicomweb${SERIES}/bulkdata`])
      expect([path, await statusOf(path, owner)]).toEqual([path, 200]);
    expect(await downloadsOf(owner)).toBe(1);
    expect(await statusOf(`/dicomweb${STUDY}/pixeldata`, owner)).toBe(200);
    expect(await downloadsOf(owner)).toBe(2);
    await t.sql`update subscriptions set downloads = 1000 where user_id = ${owner.id}`;
    t.advance(3600_000 + 1000);
    for (const path of [STUDY, SERIES, IMAGE]) {
      const answer = await t.call("GET", `/dicomweb${path}/bulkdata`, { as: owner });
      expect([answer.status, (await problemOf(answer)).code]).toEqual([403, "quota.actions"]);
    }
  });

  test("of a doctor views and can't download; a relative downloads on their own counter", async () => {
    expect(await statusOf(`/dicomweb${IMAGE}/frames/1`, doctor)).toBe(200);
    for (const path of [IMAGE, `${IMAGE}/bulkdata`, `${IMAGE}/pixeldata`])
      expect([path, await statusOf(`/dicomweb${path}`, doctor)]).toEqual([path, 403]);
    expect(await statusOf(`/dicomweb${STUDY}`, relative)).toBe(200);
    expect([await downloadsOf(owner), await downloadsOf(relative)]).toEqual([0, 1]);
  });
});
