import { expect, test } from "bun:test";
import { transferUpload } from "../../../src/server/holdings/transfer/transfer-upload.ts";
import type { Study } from "../../../src/shared/api/studies.ts";
import type { UploadAnswer } from "../../../src/shared/api/upload.ts";
import { createTestApp } from "../../support/app/test-app.ts";
import { sampleZip } from "../../support/zip/sample-zip.ts";

test("deleting one study during its upload's transfer does not make the upload's other studies fail", async () => {
  await using t = await createTestApp({ jobs: false });
  const person = await t.addPerson("Apaga Um");
  const answer = await t.upload(person, sampleZip({ study: "80" }, { study: "81" }));
  const { studies } = (await answer.json()) as UploadAnswer;
  const [row] = await t.sql`select upload_id from stored_objects limit 1`;
  const { store, staging } = t.deps;
  const put = store.putFile.bind(store);
  let isDeleted = false;
  store.putFile = async (key, path, options) => {
    if (!isDeleted) {
      isDeleted = true;
      expect((await t.call("DELETE", `/api/studies/${studies[0]?.id}`, { as: person })).status).toBe(200);
      // The job of the deletion comes first.
      await staging.delete(key);
    }
    await put(key, path, options);
  };
  await transferUpload(t.deps, row?.upload_id, new AbortController().signal);
  const left = (await (await t.call("GET", "/api/studies", { as: person })).json()) as Study[];
  expect(left.map(({ id, storageStatus }) => [id, storageStatus])).toEqual([[studies[1]?.id ?? "", "b2"]]);
});

test("an upload that adds to a study being deleted is kept as a new study, never refused half-way", async () => {
  await using t = await createTestApp({ jobs: false });
  const person = await t.addPerson("Junta E Apaga", { plan: "clinica" });
  for (let round = 0; round < 12; round++) {
    const study = `8${round}9`;
    const first = (await (await t.upload(person, sampleZip({ study }))).json()) as UploadAnswer;
    const [deleted, added] = await Promise.all([
      Bun.sleep(round * 12).then(() =>
        t.call("DELETE", `/api/studies/${first.studies[0]?.id}`, { as: person }),
      ),
      t.upload(person, sampleZip({ study, sop: "2" })),
    ]);
    expect([deleted.status, added.status]).toEqual([200, 201]);
  }
}, 240_000);
