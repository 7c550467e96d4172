import type { LabExam } from "../../src/shared/api/labs.ts";
import type { Payment } from "../../src/shared/api/payments.ts";
import type { Study } from "../../src/shared/api/studies.ts";
import type { OfferedPlan } from "../../src/shared/api/subscriptions.ts";
import type { UploadAnswer } from "../../src/shared/api/upload.ts";
import type { SignedInUser } from "../../src/shared/api/users.ts";
import { accountsTable } from "./accounts.ts";
import { call } from "./call.ts";
import { DEMO_LABS, DEMO_REPORT } from "./documents.ts";
import { type JoinOptions, joinPeople, type People } from "./join-people.ts";
import { generateStudy } from "./phantom/study.ts";
import { DEMO_STUDIES, type DemoStudy } from "./studies.ts";
import { zipStudyBytes } from "./zip-study.ts";

export interface FurnishOptions extends JoinOptions {
  tell(line: string): void;
}

/**
 * Adds the demo's accounts, studies, grants, documents and payments that are missing, through the running server as people do.
 * Idempotent. @returns the table of accounts
 */
export async function furnish(options: FurnishOptions): Promise<string> {
  const people = await joinPeople(options);
  for (const study of DEMO_STUDIES) await keepStudy(options, people, study);
  await keepReport(options.url, people.user);
  await keepLabs(options.url, people.user);
  await keepPayments(options.url, people);
  return accountsTable(options);
}

async function keepStudy(options: FurnishOptions, people: People, study: DemoStudy): Promise<void> {
  const { url, tell } = options;
  const owner = people[study.owner];
  const { accessionNumber, kind } = study.generate;
  const listed = await call(url, `/api/studies?accessionNumber=${accessionNumber}`, { as: owner });
  let [id] = ((await listed.json()) as Study[]).map((found) => found.id);
  if (id === undefined) {
    tell(`Making ${kind} …`);
    id = await upload(url, owner, study);
  }
  if (!study.sharedWith) return;
  const { id: userId } = people[study.sharedWith];
  await call(url, `/api/studies/${id}/assign`, { as: owner, json: { userId } });
}

async function upload(url: string, owner: SignedInUser, study: DemoStudy): Promise<string> {
  const { asDisc = false } = study;
  const zip = await zipStudyBytes({
    instances: generateStudy(study.generate),
    ...(asDisc && { compression: "deflate", dicomdir: true, clutter: true, folder: "Exames/Demonstração" }),
  });
  const form = new FormData();
  form.set("formData", "{}");
  form.set("zipFile", new File([Uint8Array.from(zip)], "exame.zip", { type: "application/zip" }));
  const answer = (await (await call(url, "/api/upload-dicom", { as: owner, form })).json()) as UploadAnswer;
  const [stored] = answer.studies;
  if (!stored) throw new Error(`${study.generate.kind} was not stored`);
  return stored.id;
}

async function keepReport(url: string, owner: SignedInUser): Promise<void> {
  const listed = await call(url, `/api/studies?accessionNumber=${DEMO_REPORT.accessionNumber}`, {
    as: owner,
  });
  const [study] = (await listed.json()) as Study[];
  if (!study || study.laudo) return;
  const form = new FormData();
  form.set("studyInstanceUID", study.studyInstanceUID);
  form.set("laudo", pdfFile("laudo.pdf", DEMO_REPORT.pdf()));
  await call(url, "/api/studies/laudo/upload", { as: owner, form });
}

async function keepLabs(url: string, owner: SignedInUser): Promise<void> {
  const kept = (await (await call(url, "/api/exams-lab", { as: owner })).json()) as LabExam[];
  for (const { pdf, ...fields } of DEMO_LABS) {
    if (kept.some(({ laudoDescription }) => laudoDescription === fields.examName)) continue;
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.set(name, value ?? "");
    form.set("file", pdfFile("exame.pdf", pdf()));
    await call(url, "/api/exams-lab/upload", { as: owner, form });
  }
}

/** A paid Pix of the user, for the history and the revenue. The trial user has none, so that one can be tried. */
async function keepPayments(url: string, { user, admin }: People): Promise<void> {
  const history = await call(url, "/api/payments/user/history?limit=1", { as: user });
  if (((await history.json()) as Payment[]).length > 0) return;
  const plans = (await (await call(url, "/api/subscriptions/plans", { as: user })).json()) as OfferedPlan[];
  const plan = plans.find(({ name }) => name === "Família");
  if (!plan) return;
  const made = await call(url, "/api/payments/create", { as: user, json: { planId: plan.id } });
  const { id } = (await made.json()) as Payment;
  await call(url, `/api/payments/${id}/confirm`, { as: admin, json: {} });
}

function pdfFile(name: string, bytes: Uint8Array): File {
  return new File([Uint8Array.from(bytes)], name, { type: "application/pdf" });
}
