import { expect, setDefaultTimeout, test } from "bun:test";
import { purgeRemovals } from "../../../src/server/features/removals/purge-removals.ts";
import { insertReport } from "../../../src/server/features/reports/reports.repo.ts";
import { lockStudy, setHasReport } from "../../../src/server/features/studies/studies.repo.ts";
import { insertStoredObjects } from "../../../src/server/holdings/objects/stored-objects.repo.ts";
import type { UploadAnswer } from "../../../src/shared/api/upload.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";
import { samplePdf } from "../../support/pdf/sample-pdf.ts";
import { bytesOnceSettled, compareBytes, NO_DISAGREEMENTS } from "../../support/program/stored-bytes.ts";
import { untilLockWaits } from "../../support/until.ts";
import { sampleZip } from "../../support/zip/sample-zip.ts";
import {
  addEndlessSubscription,
  askToCancel,
  attachReport,
  cancel,
  GRACE_MS,
  newStudyNumber,
  sendLabExam,
} from "./filled-account.ts";

setDefaultTimeout(240_000);

/** Everything a cancelled account still shows: it must be empty, whatever arrived during the cancellation. */
async function remainsOf(t: TestApp, person: Person) {
  const [row] = await t.sql`select
    (select count(*)::int from studies where account_id = ${person.id} and removal_id is null) as studies,
    (select count(*)::int from lab_exams where account_id = ${person.id} and removal_id is null) as labs,
    (select exam_count from subscriptions where user_id = ${person.id}) as counted,
    (select lab_exam_count from subscriptions where user_id = ${person.id}) as labs_counted`;
  return row;
}
const NOTHING = { studies: 0, labs: 0, counted: 0, labs_counted: 0 };

test("an upload that meets a cancellation is removed with the rest or refused, in every one of 15 rounds", async () => {
  await using t = await createTestApp();
  const person = await t.addPerson("Envia e Cancela", { plan: "clinica" });
  const statuses = new Map<number, number>();
  const tally = (status: number) => statuses.set(status, (statuses.get(status) ?? 0) + 1);
  for (let round = 0; round < 15; round++) {
    const [old, fresh] = [newStudyNumber(), newStudyNumber()];
    const sentAt = performance.now();
    const first = (await (await t.upload(person, sampleZip({ study: old }))).json()) as UploadAnswer;
    const uploadMs = performance.now() - sentAt;
    const studyId = first.studies[0]?.id ?? "";
    const answers = await Promise.all([
      t.upload(person, sampleZip({ study: fresh })),
      t.upload(person, sampleZip({ study: old, sop: "2" })),
      sendLabExam(t, person),
      attachReport(t, person, studyId),
      // Early to late in an upload, however busy the machine is.
      Bun.sleep((round / 10) * uploadMs).then(() => cancel(t, person)),
    ]);
    for (const [i, answer] of answers.entries()) {
      if (!(answer instanceof Response)) continue;
      tally(answer.status);
      // A report finds its study gone, the others their subscription.
      expect([i, answer.status]).toBeOneOf([[i, 201], [i, 403], ...(i === 3 ? [[3, 404]] : [])]);
    }
    expect(await remainsOf(t, person)).toEqual(NOTHING);
    await addEndlessSubscription(t, person, "clinica");
  }
  // Otherwise the uploads and cancellations never overlapped.
  expect([statuses.get(201) ?? 0, statuses.get(403) ?? 0].every((count) => count >= 2)).toBe(true);
  t.advance(GRACE_MS + 1000);
  await purgeRemovals(t.deps);
  await t.settle();
  const compare = () => compareBytes(t.sql, t.deps.config.dataDir);
  expect(await bytesOnceSettled(compare)).toEqual(NO_DISAGREEMENTS);
});

test("deletions, downloads and transfers that meet a cancellation never block each other", async () => {
  await using t = await createTestApp();
  const person = await t.addPerson("Apaga e Cancela", { plan: "clinica" });
  for (let round = 0; round < 12; round++) {
    const sent = Array.from({ length: 4 }, () => ({ study: newStudyNumber() }));
    const answer = (await (await t.upload(person, sampleZip(...sent))).json()) as UploadAnswer;
    const ids = answer.studies.map(({ id }) => id);
    const lab = ((await (await sendLabExam(t, person)).json()) as { id: string }).id;
    const answers = await Promise.all([
      t.call("DELETE", `/api/studies/${ids[3]}`, { as: person }),
      t.call("DELETE", `/api/studies/${ids[0]}`, { as: person }),
      t.call("GET", `/api/studies/${ids[1]}/download`, { as: person }),
      t.call("DELETE", `/api/exams-lab/${lab}`, { as: person }),
      Bun.sleep(round).then(() => cancel(t, person)),
    ]);
    // A deadlock would end one of them with 500.
    for (const one of answers) {
      if (one instanceof Response) expect(one.status).toBeOneOf([200, 403, 404]);
    }
    expect(await remainsOf(t, person)).toEqual(NOTHING);
    await t.sql`update subscriptions set downloads = 0, deletes = 0, lab_deletes = 0 where user_id = ${person.id}`;
    await addEndlessSubscription(t, person, "clinica");
  }
});

test("a report that is attached while its owner's account is deleted leaves no bytes behind", async () => {
  await using t = await createTestApp();
  const admin = await t.addPerson("Administradora", { role: "admin", plan: null });
  const person = await t.addPerson("Sai no Meio");
  const { studies } = await t.store(person, sampleZip({ study: newStudyNumber() }));
  const studyId = studies[0]?.id ?? "";
  const { id, key } = { id: Bun.randomUUIDv7(), key: `${Bun.randomUUIDv7()}/laudo.pdf` };
  const { store, db } = t.deps;
  await store.putBytes(key, samplePdf());
  let deleted: Promise<Response> | undefined;
  await db.transaction(async (tx) => {
    await lockStudy(tx, studyId);
    deleted = t.call("DELETE", `/api/users/${person.id}`, { as: admin });
    await untilLockWaits(t.sql);
    const createdAt = t.deps.clock.now();
    const object = { id, studyId, key, uploadId: Bun.randomUUIDv7(), sizeBytes: 1, sha256: "", createdAt };
    await insertStoredObjects(tx, [{ ...object, kind: "report", location: "archive", stagedOn: null }]);
    await insertReport(tx, { studyId, objectId: id, uploadedBy: person.id, createdAt });
    await setHasReport(tx, studyId, true);
  });
  expect((await deleted)?.status).toBe(200);
  await t.settle();
  expect(await store.stat(key)).toBeUndefined();
});

test("deleting an account during a cancellation and an upload leaves nothing of it behind", async () => {
  await using t = await createTestApp();
  const admin = await t.addPerson("Administradora", { role: "admin", plan: null });
  for (let round = 0; round < 8; round++) {
    const person = await t.addPerson("Tudo Junto", { plan: "clinica" });
    await t.upload(person, sampleZip({ study: newStudyNumber() }));
    const answers = await Promise.all([
      t.upload(person, sampleZip({ study: newStudyNumber() })).then(({ status }) => status),
      Bun.sleep(round * 10).then(() => askToCancel(t, person)),
      Bun.sleep(round * 12)
        .then(() => t.call("DELETE", `/api/users/${person.id}`, { as: admin }))
        .then(({ status }) => status),
    ]);
    expect(answers[2]).toBe(200);
    expect(answers[0]).toBeOneOf([201, 401, 403, 500]);
    const [left] =
      await t.sql`select (select count(*)::int from studies where account_id = ${person.id}) as studies,
      (select count(*)::int from removals where user_id = ${person.id}) as removals`;
    expect(left).toEqual({ studies: 0, removals: 0 });
  }
  await t.settle();
  const compare = () => compareBytes(t.sql, t.deps.config.dataDir);
  expect(await bytesOnceSettled(compare)).toEqual(NO_DISAGREEMENTS);
});
