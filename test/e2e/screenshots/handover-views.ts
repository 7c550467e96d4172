import type { Page } from "playwright-core";
import { generateStudy } from "../../../scripts/demo/phantom/study.ts";
import { zipStudyBytes } from "../../../scripts/demo/zip-study.ts";
import type { CreatedRequest } from "../../../src/shared/api/deliveries.ts";
import type { CreatedLink } from "../../../src/shared/api/links.ts";
import type { SignedReceipt } from "../../../src/shared/api/receipts.ts";
import type { Study } from "../../../src/shared/api/studies.ts";
import type { Person, TestApp } from "../../support/app/test-app.ts";
import { tusOf } from "../../support/app/tus.ts";
import type { DemoPeople } from "../../support/browser/demo-people.ts";
import { button, field, goTo, type View } from "./view.ts";

const CLINIC = "Clínica São João";

/** The addresses of what an account gave to others, and what their browsers keep of it. */
interface HandOvers {
  request: string;
  received: string;
  kept: Record<string, string>;
  link: string;
  lockedLink: string;
  receipt: string;
}

/** Gives the owner a request of each kind, an exam that was delivered, and two links. */
export async function addHandOvers(testApp: TestApp, { owner }: DemoPeople): Promise<HandOvers> {
  const ask = (label: string) => made<CreatedRequest>(testApp, owner, "/api/requests", { label });
  const ended = await ask("Radiologia do Centro");
  await testApp.call("DELETE", `/api/requests/${ended.id}`, { as: owner });
  const request = await ask("Hospital Santa Clara");
  const delivered = await ask(CLINIC);
  const { token, studyIds } = await deliver(testApp, delivered);
  const kept = { token, from: CLINIC, request: { ...delivered, qrCode: undefined } };
  const link = (json: object) => made<CreatedLink>(testApp, owner, "/api/links", { studyIds, ...json });
  const answer = await testApp.call("GET", `/api/studies/${studyIds[0]}/receipt`, { as: owner });
  const { jws } = (await answer.json()) as SignedReceipt;
  return {
    request: pathOf(request.url),
    received: pathOf(delivered.url),
    kept: { [`delivery ${delivered.id}`]: JSON.stringify(kept) },
    link: pathOf((await link({ recipient: "Dr. Paulo", download: true })).url),
    lockedLink: pathOf((await link({ passcode: true })).url),
    receipt: `/verificar#${jws}`,
  };
}

async function made<Answer>(testApp: TestApp, as: Person, path: string, json: object): Promise<Answer> {
  const answer = await testApp.call("POST", path, { as, json });
  if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as Answer;
}

/** As a clinic does; the images are of somebody of the account's name. */
async function deliver(testApp: TestApp, { id, url }: CreatedRequest) {
  const json = { request: id, secret: new URL(url).hash.slice(1), from: CLINIC };
  const answer = await testApp.call("POST", "/api/deliveries", { json });
  const { token } = (await answer.json()) as { token: string };
  const tus = tusOf(testApp, { id: "", email: "", password: "", token });
  const zip = await zipStudyBytes({
    instances: generateStudy({ kind: "ct-chest", seed: 9, size: 128, instances: 12, studyDate: "20261120" }),
    folder: "DICOM",
  });
  const upload = await tus.begin(zip.length);
  await tus.patch(upload, 0, zip);
  const { result } = await tus.outcome(upload);
  await testApp.settle();
  return { token, studyIds: (result?.studies ?? []).map((study: Pick<Study, "id">) => study.id) };
}

function pathOf(address: string): string {
  const { pathname, hash } = new URL(address);
  return pathname + hash;
}

async function openRequests(page: Page): Promise<void> {
  await goTo(page, "receber", "Receber de uma clínica", "Receive from a clinic");
}

async function openNewRequest(page: Page): Promise<void> {
  await openRequests(page);
  await button(page, "Novo pedido", "New request").first().click();
  await page.getByRole("dialog").waitFor();
}

/** What an account asks of others and gives to them, and what these see of it. */
export function handOverViews(given: HandOvers, zipPath: string): Record<string, View> {
  const pick = async (page: Page) => {
    await button(page, "Continuar", "Continue").click();
    await page.locator("input[accept*=zip]").setInputFiles(zipPath);
    await page.getByRole("button", { name: /^(Entregar mesmo assim|Deliver anyway)$/ }).waitFor();
  };
  return {
    requests: { who: "owner", show: openRequests },
    "requests-none": { who: "newcomer", show: openRequests },
    "request-new": { who: "owner", show: openNewRequest },
    "request-ready": {
      who: "reminded",
      async show(page) {
        await openNewRequest(page);
        await field(page, "Quem vai entregar", "Who will deliver").fill("Hospital Santa Clara");
        await button(page, "Criar pedido", "Create request").click();
        await page.locator("figure.pix-qr img").waitFor();
      },
    },
    delivery: {
      path: given.request,
      show: (page) => button(page, "Continuar", "Continue").waitFor(),
    },
    "delivery-name": { path: given.request, show: pick },
    "delivery-done": {
      path: given.received,
      stored: given.kept,
      show: (page) => page.locator(".delivery-paper").waitFor(),
    },
    "delivery-over": { path: "/r/nenhum#x", show: (page) => page.locator(".gate").waitFor() },
    visit: { path: given.link, show: (page) => page.locator(".visit-main").waitFor() },
    "visit-passcode": { path: given.lockedLink, show: (page) => page.locator(".code-box").first().waitFor() },
    "verify-signed": {
      path: given.receipt,
      show: (page) => page.getByText(/assinou este recibo|signed this receipt/).waitFor(),
    },
  };
}
