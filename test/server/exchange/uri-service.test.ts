import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";
import { SIDE, twoFrames } from "../../support/browser/two-frames.ts";
import { sampleZip, studyUID } from "../../support/zip/sample-zip.ts";

let t: TestApp;
let owner: Person;
let stranger: Person;
beforeAll(async () => {
  t = await createTestApp();
  owner = await t.addPerson("Quem Envia");
  stranger = await t.addPerson("Outra Pessoa");
  await t.store(owner, sampleZip({ study: "1", elements: twoFrames }));
}, 240_000);
afterAll(() => t[Symbol.asyncDispose]());

const named = {
  requestType: "WADO",
  studyUID: studyUID("1"),
  seriesUID: "2.25.2.1.1",
  objectUID: "2.25.3.1.1.1",
};
const instance = `/dicomweb/studies/${named.studyUID}/series/${named.seriesUID}/instances/${named.objectUID}`;

function ask(
  parameters: Record<string, string>,
  options: { as?: Person; method?: string; accept?: string } = {},
) {
  const { as = owner, method = "GET", accept } = options;
  const path = `/wado?${new URLSearchParams({ ...named, ...parameters })}`;
  return t.call(method, path, { as, ...(accept !== undefined && { headers: { accept } }) });
}

/** What the Studies Service answers. */
async function rs(path: string, accept: string): Promise<Buffer<ArrayBuffer>> {
  const answer = await t.call("GET", path, { as: owner, headers: { accept } });
  expect(answer.status).toBe(200);
  return Buffer.from(await answer.arrayBuffer());
}

describe("the URI Service", () => {
  test("brings the file that the Studies Service brings, for application/dicom", async () => {
    const answer = await ask({ contentType: "application/dicom" });
    expect(answer.headers.get("content-type")).toStartWith("application/dicom");
    const file = Buffer.from(await answer.arrayBuffer());
    expect(file.toString("latin1", 128, 132)).toBe("DICM");
    expect(file).toEqual(await rs(instance, "application/dicom"));

    const syntax = "1.2.840.10008.1.2.1";
    const explicit = await ask({ contentType: "application/dicom", transferSyntax: syntax });
    expect(Buffer.from(await explicit.arrayBuffer())).toEqual(
      await rs(instance, `application/dicom; transfer-syntax=${syntax}`),
    );
    const other = await ask({ contentType: "application/dicom", transferSyntax: "1.2.840.10008.1.2.4.90" });
    expect(other.status).toBe(406);
    expect((await ask({}, { accept: "application/dicom" })).headers.get("content-type")).toStartWith(
      "application/dicom",
    );
    const typeFor = async (accept: string) => (await ask({}, { accept })).headers.get("content-type") ?? "";
    expect(await typeFor("image/png;q=0.5, application/dicom")).toStartWith("application/dicom");
    expect(await typeFor("application/dicom;q=0.5, image/png")).toBe("image/png");
    expect(await typeFor("application/dicom;q=0, image/gif")).toBe("image/gif");
    const head = await ask({ contentType: "application/dicom" }, { method: "HEAD" });
    expect([head.status, (await head.arrayBuffer()).byteLength]).toEqual([200, 0]);
  });

  test("says that the annotations of a picture are missing", async () => {
    const warningOf = async (annotation: string) => (await ask({ annotation })).headers.get("warning");
    expect(await warningOf("patient,technique")).toContain(
      "annotation values are not supported: patient, technique",
    );
    expect(await warningOf("anything")).toBeNull();
  });

  test("draws the picture that the Studies Service draws", async () => {
    const drawn = async (parameters: Record<string, string>) => {
      const answer = await ask({ contentType: "image/png", ...parameters });
      expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "image/png"]);
      return Buffer.from(await answer.arrayBuffer());
    };
    const png = (path: string) => rs(`${instance}${path}`, "image/png");
    expect(await drawn({})).toEqual(await png("/rendered"));
    expect(await drawn({ frameNumber: "2" })).toEqual(await png("/frames/2/rendered"));
    expect(await drawn({ rows: "32", columns: "100" })).toEqual(await png("/rendered?viewport=100,32"));
    expect(await drawn({ rows: "32" })).toEqual(await png("/rendered?viewport=32,32"));
    expect(await drawn({ windowCenter: ".5", windowWidth: "1e2" })).toEqual(
      await png("/rendered?window=.5,100"),
    );
    expect(await drawn({ windowCenter: "100", windowWidth: "10" })).toEqual(
      await png("/rendered?window=100,10"),
    );
    const quarter = await drawn({ region: "0.5,0.25,1,0.75", columns: "32" });
    const half = SIDE / 2;
    expect(quarter).toEqual(await png(`/rendered?viewport=32,999,${half},${SIDE / 4},${half},${half}`));
    const usual = await ask({});
    expect([usual.status, usual.headers.get("content-type")]).toEqual([200, "image/jpeg"]);
    expect((await ask({ frameNumber: "3" })).status).toBe(404);
    expect((await ask({ contentType: "image/jp2" })).status).toBe(406);
  });

  test("understands its address however that is written", async () => {
    const query = new URLSearchParams({
      ...named,
      region: "0,0,0.5,1",
      contentType: "image/gif",
      viewport: "9,9",
    });
    const [plain, escaped] = await Promise.all(
      ["/wado", "/%77ado"].map((path) => t.call("GET", `${path}?${query}`, { as: owner })),
    );
    expect(escaped?.headers.get("content-type")).toBe("image/gif");
    expect(await escaped?.bytes()).toEqual((await plain?.bytes()) ?? new Uint8Array());
  });

  test("names the parameters that it does not take, and answers nothing else in their place", async () => {
    const wrong: Record<string, string>[] = [
      { requestType: "QIDO" },
      { objectUID: "" },
      { studyUID: "1/2" },
      { contentType: "multipart/related" },
      { anonymize: "yes" },
      { presentationUID: "1.2.3" },
      { frameNumber: "0" },
      { rows: "-1" },
      { region: "0,0,0,1" },
      { region: "0,0,2,1" },
      { imageQuality: "101" },
      { transferSyntax: 'a";q=1' },
    ];
    for (const parameters of wrong) {
      const answer = await ask(parameters);
      const { code, violations } = await answer.json();
      expect([answer.status, code]).toEqual([400, "validation.failed"]);
      expect(violations.map(({ path }: { path: string }) => path)).toEqual(Object.keys(parameters));
    }
    for (const width of [[], ["0"], ["-5"]]) {
      const half = await ask({ windowCenter: "10", ...(width[0] && { windowWidth: width[0] }) });
      expect((await half.json()).violations).toMatchObject([{ path: "windowWidth" }]);
    }
    expect((await t.call("GET", "/wado", { as: owner })).status).toBe(400);
    const posted = await ask({}, { method: "POST" });
    expect([posted.status, posted.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  });

  test("shows a doctor the pictures, and anybody else nothing", async () => {
    const doctor = await t.addPerson("Doutora", { role: "doctor", plan: null });
    const [study] = await t.sql<{ id: string }[]>`select id from studies`;
    await t.call("POST", `/api/studies/${study?.id}/assign`, { as: owner, json: { userId: doctor.id } });
    const file = { contentType: "application/dicom" };
    expect((await ask({}, { as: doctor })).status).toBe(200);
    expect((await ask(file, { as: doctor })).status).toBe(403);
    for (const parameters of [file, {}]) {
      expect((await ask(parameters, { as: stranger })).status).toBe(404);
      const nobody = await t.call("GET", `/wado?${new URLSearchParams({ ...named, ...parameters })}`);
      expect(nobody.status).toBe(401);
    }
  });
});
