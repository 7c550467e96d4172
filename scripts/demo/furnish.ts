import type { LabExam } from "../../src/shared/api/labs.ts";
import type { Payment } from "../../src/shared/api/payments.ts";
import type { Study } from "../../src/shared/api/studies.ts";
import type { OfferedPlan } from "../../src/shared/api/subscriptions.ts";
import type { UploadAnswer } from "../../src/shared/api/upload.ts";
import type { SignedInUser } from "../../src/shared/api/users.ts";
import { accountsTable, DEMO_ACCOUNTS, type DemoAccount } from "./accounts.ts";
import { DEMO_LABS, DEMO_REPORT } from "./documents.ts";
import { generateStudy } from "./phantom/study.ts";
import { DEMO_STUDIES, type DemoStudy } from "./studies.ts";
import { zipStudyBytes } from "./zip-study.ts";

export interface FurnishOptions {
  url: string;
  /** Runs `user add` with these arguments. */
  addAccount(args: readonly string[]): Promise<void>;
  tell(line: string): void;
}

type People = Record<keyof typeof DEMO_ACCOUNTS, SignedInUser>;

/**
 * Adds the demo's accounts, studies, grants, documents and payments that are missing, through the running server as people do.
 * Idempotent. @returns the table of accounts
 */
export async function furnish(options: FurnishOptions): Promise<string> {
  const people = {} as People;
  for (const name of Object.keys(DEMO_ACCOUNTS) as (keyof People)[]) {
    people[name] = await signInOrJoin(options, DEMO_ACCOUNTS[name]);
  }
  for (const study of DEMO_STUDIES) await keepStudy(options, people, study);
  await keepReport(options.url, people.user);
  await keepLabs(options.url, people.user);
  await keepPayments(options.url, people);
  return accountsTable(options.url);
}

async function signInOrJoin(options: FurnishOptions, account: DemoAccount): Promise<SignedInUser> {
  const { name, email, password, role, registers } = account;
  const known = await signIn(options.url, account);
  if (known) return known;
  if (registers)
    await call(options.url, "/api/auth/register", { json: { name, email, password, ...registers } });
  else await options.addAccount(["--email", email, "--name", name, "--role", role, "--password", password]);
  const added = await signIn(options.url, account);
  if (!added) throw new Error(`${email} can't sign in: were the demo's data made with another password?`);
  return added;
}

async function signIn(url: string, { email, password }: DemoAccount): Promise<SignedInUser | undefined> {
  const answer = await fetch(`${url}/api/auth/login`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ email, password }),
  });
  if (answer.status === 401) return undefined;
  return (await (await expectOk(answer)).json()) as SignedInUser;
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

interface CallOptions {
  as?: SignedInUser;
  json?: object;
  form?: FormData;
}

async function call(url: string, path: string, { as, json, form }: CallOptions): Promise<Response> {
  const body = json ? JSON.stringify(json) : form;
  const headers = {
    ...(as && { Authorization: `Bearer ${as.token}` }),
    ...(json && { "Content-Type": "application/json" }),
  };
  return await expectOk(
    await fetch(url + path, { method: body ? "POST" : "GET", headers, ...(body && { body }) }),
  );
}

async function expectOk(answer: Response): Promise<Response> {
  if (answer.ok) return answer;
  throw new Error(
    `${answer.status} from ${new URL(answer.url).pathname}: ${(await answer.text()).slice(0, 300)}`,
  );
}
