import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { chunkType } from "../../../src/shared/api/resumable.ts";
import { createTestApp, type Person, problemOf, type TestApp } from "../../support/app/test-app.ts";
import { sampleZip } from "../../support/zip/sample-zip.ts";

let t: TestApp;
let person: Person;
beforeAll(async () => {
  t = await createTestApp();
  person = await t.addPerson("Comprimida Souza", { plan: "clinica" });
});
afterAll(() => t[Symbol.asyncDispose]());

const password = JSON.stringify({ currentPassword: "x", newPassword: "y" });
const form = "multipart/form-data; boundary=x";
const tus = { "tus-resumable": "1.0.0", "upload-length": "100" };
const calls = [
  ["JSON", "POST", "/api/auth/login", { "content-type": "application/json" }],
  ["JSON of a session", "POST", "/api/users/delete-own", { "content-type": "application/json" }],
  ["an upload", "POST", "/api/upload-dicom", { "content-type": form }],
  ["a lab", "POST", "/api/exams-lab/upload", { "content-type": form }],
  ["a support message", "POST", "/api/support/send", { "content-type": form }],
  ["a resumable upload", "POST", "/api/uploads", { ...tus, "content-type": chunkType }],
  ["instances", "POST", "/dicomweb/studies", { "content-type": "application/dicom" }],
  [
    "a search in FHIR",
    "POST",
    "/fhir/ImagingStudy/_search",
    { "content-type": "application/x-www-form-urlencoded" },
  ],
] as const;

describe.each(calls)("a body of %s", (_, method, path, headers) => {
  test.each(["gzip", "br", "zstd", "identity, gzip"])(
    "in the coding %s is 415 and names what is taken",
    async (coding) => {
      const body = Uint8Array.from(gzipSync(password));
      const answer = await t.call(method, path, {
        as: person,
        headers: { ...headers, "content-encoding": coding },
        body,
      });
      expect(answer.status).toBe(415);
      expect(answer.headers.get("accept-encoding")).toBe("identity");
      expect(await answer.json()).toBeObject();
    },
  );
});

test.each(["identity", "Identity", "", "utf-8", "UTF8", "binary"])(
  "a body in the coding '%s' is read as it is",
  async (coding) => {
    const headers = { "content-type": "application/json", "content-encoding": coding };
    const body = Buffer.from(JSON.stringify({ email: "a@b", password: "" }));
    const answer = await t.call("POST", "/api/auth/login", { headers, body });
    expect([answer.status, (await problemOf(answer)).code]).toEqual([400, "validation.failed"]);
  },
);

test("an upload in a coding leaves nothing, and is taken without it", async () => {
  const send = (extra: Record<string, string>) => {
    const body = new FormData();
    body.append("zipFile", new Blob([Uint8Array.from(sampleZip({}))]), "exame.zip");
    return t.call("POST", "/api/upload-dicom", { as: person, headers: extra, body });
  };
  expect((await send({ "content-encoding": "gzip" })).status).toBe(415);
  const opened = await t.call("GET", "/api/uploads", { as: person });
  expect(await opened.json()).toEqual([]);
  expect((await send({})).status).toBe(201);
});
