import { afterAll, beforeAll, expect, test } from "bun:test";
import { ENCAPSULATED_CDA, ENCAPSULATED_PDF } from "../../../src/shared/dicom/sop-class.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";
import { cda } from "../../support/dicom/sample-documents.ts";
import { sampleZip, studyUID } from "../../support/zip/sample-zip.ts";

const pdf = Buffer.from("%PDF-1.7\nlaudo: sem alterações\n%%EOF\n");

/** The elements of an Encapsulated PDF. Its file pads the value to an even length. */
const documentOf = (bytes: Uint8Array, declared = bytes.length) => ({
  [TagHex.SOPClassUID]: { vr: "UI", Value: [ENCAPSULATED_PDF] },
  [TagHex.Modality]: { vr: "CS", Value: ["DOC"] },
  [TagHex.EncapsulatedDocument]: { vr: "OB", bytes },
  [TagHex.MIMETypeOfEncapsulatedDocument]: { vr: "LO", Value: ["application/pdf"] },
  [TagHex.EncapsulatedDocumentLength]: { vr: "UL", Value: [declared] },
  [TagHex.PixelData]: { vr: "OW" },
});
const pathOf = (study: string) =>
  `/dicomweb/studies/${studyUID(study)}/series/2.25.2.${study}.1/instances/2.25.3.${study}.1.1/rendered`;

let t: TestApp;
let owner: Person;
beforeAll(async () => {
  t = await createTestApp();
  owner = await t.addPerson("Quem Lê");
}, 240_000);
afterAll(() => t[Symbol.asyncDispose]());

const read = (path: string, headers: Record<string, string> = {}, as: Person = owner) =>
  t.call("GET", path, { as, headers });

test("an Encapsulated PDF is rendered as the PDF that was encapsulated, or a range of it", async () => {
  expect(pdf.length % 2).toBe(1);
  await t.store(owner, sampleZip({ study: "1", elements: documentOf(pdf) }));
  for (const accept of ["*/*", "application/pdf", "image/png, application/*;q=0.5"]) {
    const answer = await read(pathOf("1"), { accept });
    expect(answer.headers.get("content-type")).toBe("application/pdf");
    expect(answer.headers.get("content-disposition")).toBe("attachment");
    expect(Buffer.from(await answer.bytes()).equals(pdf)).toBe(true);
  }
  const part = await read(pathOf("1"), { range: "bytes=5-" });
  expect([part.status, part.headers.get("content-range")]).toEqual([
    206,
    `bytes 5-${pdf.length - 1}/${pdf.length}`,
  ]);
  expect(await part.text()).toBe(pdf.subarray(5).toString());
  const etag = part.headers.get("etag") ?? "";
  expect((await read(pathOf("1"), { "if-none-match": etag })).status).toBe(304);
  expect((await read(pathOf("1"), { accept: "image/jpeg" })).status).toBe(406);
  expect((await read(pathOf("1").replace("rendered", "thumbnail"))).status).toBe(404);
  // Whoever asks for a document learns that it is gone, and not that there is no such picture of it.
  const gone = pathOf("1").replace(".1.1/rendered", ".1.2/rendered");
  expect((await read(gone, { accept: "application/pdf, text/html" })).status).toBe(404);
  expect((await read(pathOf("1"), {}, await t.addPerson("Outra Pessoa"))).status).toBe(404);
});

test("an Encapsulated PDF is bulk data of its own type, too, for viewers that ask for that", async () => {
  await t.store(owner, sampleZip({ study: "31", elements: documentOf(pdf) }));
  const path = pathOf("31").replace("rendered", "bulkdata/00420011");
  for (const alone of [
    await read(`${path}?accept=application/pdf`),
    await read(path, { accept: "application/pdf" }),
  ]) {
    expect([alone.status, alone.headers.get("content-type")]).toEqual([200, "application/pdf"]);
    expect((await alone.text()).startsWith(pdf.toString())).toBe(true);
  }
  const typeFor = async (accept: string, of = path) => {
    const answer = await read(of, { accept });
    await answer.body?.cancel();
    return answer.status === 200 ? answer.headers.get("content-type")?.split("; boundary")[0] : answer.status;
  };
  expect(await typeFor('multipart/related; type="application/pdf"')).toBe(
    'multipart/related; type="application/pdf"',
  );
  expect(await typeFor("*/*")).toBe('multipart/related; type="application/octet-stream"');
  expect(await typeFor("application/octet-stream, application/pdf")).toBe("application/octet-stream");
  expect(await typeFor("application/pdf", path.replace("00420011", "00420012"))).toBe(406);
});

test("bulk data that is called a PDF and is none is never answered as one", async () => {
  await t.store(owner, sampleZip({ study: "32", elements: documentOf(Buffer.from("<script>alert(1)")) }));
  const path = pathOf("32").replace("rendered", "bulkdata/00420011");
  for (const accept of ["application/pdf", 'multipart/related; type="application/pdf"'])
    expect((await read(path, { accept })).status).toBe(406);
  const bytes = await read(path, { accept: "application/pdf, application/octet-stream;q=0.1" });
  expect(Object.fromEntries(bytes.headers)).toMatchObject({
    "content-type": "application/octet-stream",
    "content-disposition": "attachment",
    "content-security-policy": "sandbox; default-src 'none'",
    "x-content-type-options": "nosniff",
  });
});

test("both types of an Encapsulated PDF at one address are versions of their own", async () => {
  await t.store(owner, sampleZip({ study: "33", elements: documentOf(pdf) }));
  const path = pathOf("33").replace("rendered", "bulkdata/00420011");
  const ask = (accept: string, headers: Record<string, string> = {}) => read(path, { accept, ...headers });
  const [asPdf, asBytes] = [await ask("application/pdf"), await ask("application/octet-stream")];
  const [ofPdf, ofBytes] = [asPdf, asBytes].map(({ headers }) => headers.get("etag") ?? "");
  expect([asPdf, asBytes].map(({ headers }) => headers.get("vary"))).toEqual(["Accept", "Accept"]);
  expect(ofPdf).not.toBe(ofBytes);
  const known = async (accept: string, etag = "") => (await ask(accept, { "if-none-match": etag })).status;
  expect(await known("application/pdf", ofPdf)).toBe(304);
  expect(await known("application/pdf", ofBytes)).toBe(200);
  const part = (etag = "") => ask("application/pdf", { range: "bytes=0-4", "if-range": etag });
  const ranged = await part(ofPdf);
  expect([ranged.status, await ranged.text()]).toEqual([206, "%PDF-"]);
  expect((await part(ofBytes)).status).toBe(200);
  const head = await t.call("HEAD", path, { as: owner, headers: { accept: "application/pdf" } });
  expect([head.status, head.headers.get("content-type"), (await head.bytes()).length]).toEqual([
    ...[200, "application/pdf", 0],
  ]);
});

test("what is encapsulated is rendered only if it is a PDF, whole whatever length it declares, and drawn if there are pixels", async () => {
  await t.store(owner, sampleZip({ study: "2", elements: documentOf(Buffer.from("<html>")) }));
  const refused = await read(pathOf("2"));
  expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([422, "rendered.none"]);
  await t.store(owner, sampleZip({ study: "3", elements: documentOf(pdf, 4) }));
  expect((await (await read(pathOf("3"))).bytes()).length).toBe(pdf.length + 1);
  const pixels = { [TagHex.PixelData]: { vr: "OW", bytes: new Uint8Array(8) } };
  await t.store(owner, sampleZip({ study: "4", elements: { ...documentOf(pdf), ...pixels } }));
  expect((await read(pathOf("4"))).headers.get("content-type")).toBe("image/jpeg");
});

test("an Encapsulated CDA is rendered as the XML that was encapsulated, and never shown by a browser", async () => {
  expect(cda.length % 2).toBe(1);
  const elements = { ...documentOf(cda), [TagHex.SOPClassUID]: { vr: "UI", Value: [ENCAPSULATED_CDA] } };
  await t.store(owner, sampleZip({ study: "6", elements }));
  for (const accept of ["*/*", "text/xml", "application/pdf, text/html, text/xml"]) {
    const answer = await read(pathOf("6"), { accept });
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": "text/xml",
      "content-disposition": "attachment",
      "content-security-policy": "sandbox; default-src 'none'",
      "x-content-type-options": "nosniff",
    });
    expect(Buffer.from(await answer.bytes()).equals(cda)).toBe(true);
  }
  expect((await read(pathOf("6"), { range: "bytes=5-" })).status).toBe(206);
  for (const accept of ["application/pdf", "text/html", "image/jpeg"])
    expect((await read(pathOf("6"), { accept })).status).toBe(406);
  await t.store(
    owner,
    sampleZip({ study: "9", elements: { ...elements, [TagHex.EncapsulatedDocument]: { vr: "OB" } } }),
  );
  expect((await read(pathOf("9"))).status).toBe(422);
});
