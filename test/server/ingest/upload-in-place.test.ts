import { describe, expect, test } from "bun:test";
import { crc32 } from "node:zlib";
import { unzipSync } from "fflate";
import type { Study } from "../../../src/shared/api/studies.ts";
import type { UploadAnswer } from "../../../src/shared/api/upload.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";
import { type SampleInstance, sampleInstance, sampleZip, studyUID } from "../../support/zip/sample-zip.ts";

/** Names as long as those of a volume, so that the file that comes in can be the volume. */
const named = (instances: SampleInstance[], tab = 0): SampleInstance[] =>
  instances.map((one, i) => ({ ...one, name: `MARIA_DA_SILVA/CT/SERIE/IM0${tab}000${i}` }));
const zipOf = (instances: SampleInstance[], tab?: number) => sampleZip(...named(instances, tab));
const contentsOf = (...instances: SampleInstance[]) =>
  instances.map((one) => crc32(sampleInstance(one))).sort();

async function downloaded(t: TestApp, who: Person, study: string) {
  const studies = (await (await t.call("GET", "/api/studies", { as: who })).json()) as Study[];
  const { id } = studies.find(({ studyInstanceUID }) => studyInstanceUID === studyUID(study)) ?? {};
  const file = await t.call("GET", `/api/studies/${id}/download`, { as: who });
  expect(file.status).toBe(200);
  const zip = Buffer.from(await file.arrayBuffer());
  const files = unzipSync(zip);
  return {
    zip,
    names: Object.keys(files),
    contents: Object.values(files)
      .map((b) => crc32(b))
      .sort(),
  };
}

const one = { study: "80", sop: "1" };
const two = { study: "80", sop: "2" };
const three = { study: "80", series: "2", sop: "3" };

for (const ack of ["disk", "store"]) {
  describe(`an upload that becomes its volume, with ACK=${ack}`, () => {
    test("downloads bit for bit under generated names, alone and joined with later uploads", async () => {
      await using t = await createTestApp({ env: { ACK: ack } });
      const who = await t.addPerson("Envia Tudo");
      await t.store(who, zipOf([one, two]));
      const first = await downloaded(t, who, "80");
      expect(first.contents).toEqual(contentsOf(one, two));
      expect(first.zip.includes("MARIA_DA_SILVA")).toBe(false);
      // A digit more than in a copy: the received names were a byte longer.
      for (const name of first.names) expect(name).toMatch(/^DICOM\/[0-9a-f]{12}\/\d{9}\.dcm$/);
      await t.store(who, zipOf([three]));
      const both = await downloaded(t, who, "80");
      expect(both.contents).toEqual(contentsOf(one, two, three));
      expect(new Set(both.names).size).toBe(3);
      expect(both.zip.includes("MARIA_DA_SILVA")).toBe(false);
    });

    test("is stored once and whole when four tabs send it at the same time", async () => {
      await using t = await createTestApp({ env: { ACK: ack } });
      const who = await t.addPerson("Quatro Abas");
      const own = (tab: number) => ({ study: "80", series: "4", sop: `${tab}` });
      const zips = [0, 1, 2, 3].map((tab) => zipOf([own(tab), one, two], tab));
      const answers = await Promise.all(zips.map((zip) => t.upload(who, zip)));
      expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
      const bodies = (await Promise.all(answers.map((answer) => answer.json()))) as UploadAnswer[];
      expect(bodies.reduce((sum, body) => sum + body.instancesReceived, 0)).toBe(6);
      await t.settle();
      const all = await downloaded(t, who, "80");
      expect(all.contents).toEqual(contentsOf(one, two, ...[0, 1, 2, 3].map(own)));
      expect(all.zip.includes("MARIA_DA_SILVA")).toBe(false);
    });
  });
}

test("a study's instances are read from the volume that its upload became", async () => {
  await using t = await createTestApp();
  const who = await t.addPerson("Lê Imagens");
  await t.store(who, zipOf([one, three]));
  const study = `/dicomweb/studies/${studyUID("80")}`;
  for (const [instance, path] of [
    [one, "series/2.25.2.80.1/instances/2.25.3.80.1.1"],
    [three, "series/2.25.2.80.2/instances/2.25.3.80.2.3"],
  ] as const) {
    const headers = { accept: "application/dicom; transfer-syntax=*" };
    const answer = await t.call("GET", `${study}/${path}`, { as: who, headers });
    expect(answer.status).toBe(200);
    expect(crc32(await answer.bytes())).toBe(crc32(sampleInstance(instance)));
  }
});
