import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { compactVerify, createLocalJWKSet, type JSONWebKeySet } from "jose";
import { encodeWinAnsi, textWidth, wrapText } from "../../../src/server/documents/pdf-font.ts";
import { type FoundReceipt, readReceipt } from "../../../src/server/features/receipts/read-receipt.ts";
import { drawReceipts } from "../../../src/server/features/receipts/receipt-paper.ts";
import type { ReceiptDigest, SignedReceipt } from "../../../src/shared/api/receipts.ts";
import type { Locale } from "../../../src/shared/locale.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";
import { readDrawnQr, readPdf } from "../../support/pdf/read-pdf.ts";
import { sampleZip } from "../../support/zip/sample-zip.ts";

let t: TestApp;
let owner: Person;
let id: string;

const LONG =
  "Ressonância magnética do crânio e da coluna cervical, torácica e lombossacra, sem e com contraste".repeat(
    3,
  );

beforeAll(async () => {
  t = await createTestApp({ env: { PUBLIC_URL: "https://exames.example.com" } });
  owner = await t.addPerson("Dona do Papel", { plan: "clinica" });
  const form = { patientName: "Conceição^João Antônio", description: LONG, examinedAt: "2026-08-17T10:00" };
  const { studies } = await t.store(owner, sampleZip({ sop: "1" }, { sop: "2" }), form);
  id = studies[0]?.id ?? "";
  const patientName = `Conceição ${"Albuquerque Gonçalves ".repeat(12)}Fim`;
  await t.sql`update studies set patient_name = ${patientName}, description = ${LONG}, study_date = '2026-08-17' where id = ${id}`;
});
afterAll(() => t[Symbol.asyncDispose]());

async function paper(language: string) {
  const headers = { accept: "application/pdf", "accept-language": language };
  const answer = await t.call("GET", `/api/studies/${id}/receipt`, { as: owner, headers });
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toBe("application/pdf");
  return new Uint8Array(await answer.arrayBuffer());
}

async function verified(jws: string): Promise<unknown> {
  const keys = (await (await t.call("GET", "/.well-known/jwks.json")).json()) as JSONWebKeySet;
  return JSON.parse(new TextDecoder().decode((await compactVerify(jws, createLocalJWKSet(keys))).payload));
}

test("the paper says in both languages what was received, with long names and accents, on one page", async () => {
  const { receipt } = (await (
    await t.call("GET", `/api/studies/${id}/receipt`, { as: owner })
  ).json()) as SignedReceipt;
  const portuguese = await readPdf(await paper("pt-BR"));
  const english = await readPdf(await paper("en-US"));
  expect([portuguese.pages.length, english.pages.length]).toEqual([1, 1]);
  const [lines = []] = portuguese.pages;
  const text = lines.join(" ");
  expect(text).toContain("Recibo de exame");
  expect(text).toContain("Conceição Albuquerque Gonçalves");
  expect(text).toContain("Gonçalves Fim");
  expect(text).toContain("Ressonância magnética do crânio");
  expect(text).toContain("17-08-2026");
  expect(text.replaceAll(" ", "")).toContain(receipt.root);
  expect(text).not.toContain("?");
  expect(english.pages[0]?.join(" ")).toContain("Receipt of an exam");
  expect(english.pages[0]?.join(" ")).toContain("17-Aug-2026");
  expect(String(portuguese.info.Title)).toContain("Recibo de exame");
});

test("the paper carries the signed receipt, and its QR code a signed digest of it", async () => {
  const { receipt, jws } = (await (
    await t.call("GET", `/api/studies/${id}/receipt`, { as: owner })
  ).json()) as SignedReceipt;
  const pdf = await paper("pt-BR");
  const [attachment] = (await readPdf(pdf)).attachments;
  expect(attachment?.name).toBe("recibo.jws");
  expect(Buffer.from(attachment?.content ?? []).toString()).toBe(jws);
  const [address, digestJws = ""] = readDrawnQr(pdf).split("#");
  expect(address).toBe("https://exames.example.com/verificar");
  const sizeBytes = receipt.instances.reduce((sum, instance) => sum + instance.sizeBytes, 0);
  expect((await verified(digestJws)) as ReceiptDigest).toEqual({
    ...{ version: 1, receivedAt: receipt.receivedAt, images: 2, sizeBytes, root: receipt.root },
  });
});

test("each page of a long paper says whose page it is", async () => {
  const found = await readReceipt(t.deps, { userId: owner.id, role: "user" }, id);
  const about = {
    locale: "pt-BR",
    productName: "Exameteca",
    publicUrl: "https://exames.example.com",
  } as const;
  const pdf = await drawReceipts({ receipts: Array(9).fill(found) }, about);
  const { pages } = await readPdf(Uint8Array.from(pdf));
  expect(pages.length).toBeGreaterThan(2);
  // A fingerprint names its exam in two lines, of which the second may be cut.
  const lines = pages.flat();
  const name = lines.findIndex((line) => line.startsWith("1. Ressonância"));
  expect(lines[name]).not.toContain("…");
  expect(lines[name + 1]).toEndWith("…");
  const number = pages[0]?.find((line) => /^\d{4}-\d\d-\d\d-\w{4}-\w{4}$/.test(line));
  for (const [index, lines] of pages.entries())
    expect(lines.join(" ")).toContain(`${number} · ${index + 1}/${pages.length}`);
});

describe("a paper", () => {
  let found: FoundReceipt;
  beforeAll(async () => {
    found = await readReceipt(t.deps, { userId: owner.id, role: "user" }, id);
  });

  const about = { productName: "Exameteca", publicUrl: "https://exames.example.com" };
  const draw = async (of: Partial<FoundReceipt["study"]>[], locale: Locale = "pt-BR") => {
    const receipts = of.map((study) => ({
      ...found,
      study: { ...found.study, description: "TC de crânio", ...study },
    }));
    const { pages } = await readPdf(Uint8Array.from(await drawReceipts({ receipts }, { ...about, locale })));
    return pages.flat();
  };

  test("names a patient by the first form of the name that its font can write, or says that it can't", async () => {
    const text = async (patientName: string, patientID: string | null, locale?: Locale) =>
      (await draw([{ patientName, patientID }], locale)).join(" ");
    expect(await text("Yamada^Tarou=山田^太郎=やまだ^たろう", "77")).toContain("Tarou Yamada ");
    expect(await text("=山田^太郎=Yamada^Tarou", "77")).toContain("Tarou Yamada ");
    const silent = await text("=山田^太郎", "77");
    expect(silent).toContain("Nome em uma escrita que este papel não mostra (ID do paciente 77)");
    expect(silent).not.toContain("?");
    expect(await text("김희중", "患者", "en-US")).toContain("Name in a script that this paper can't show ");
    const exam = (await draw([{ description: "頭部CT" }])).join(" ");
    expect(exam).toContain("Exame com descrição em uma escrita que este papel não");
    expect(exam).not.toContain("?");
  });

  test("about several patients says beside each exam whose it is", async () => {
    const lines = await draw([
      { patientName: "Souza^Ana" },
      { patientName: "Souza^Rui" },
      { patientName: null },
    ]);
    // In the head, in the table, and beside the QR code.
    expect(lines.filter((line) => line.includes("Ana Souza"))).toHaveLength(3);
    expect(lines.filter((line) => line === "Rui Souza")).toHaveLength(2);
    expect(lines.filter((line) => line === "Nome não informado")).toHaveLength(2);
    const second = lines.findIndex((line) => line.startsWith("2. TC de crânio"));
    expect(lines[second + 1]).toBe("Rui Souza");
    const ofOne = await draw([{ patientName: "Souza^Ana" }, { patientName: "Souza^Ana" }]);
    expect(ofOne.filter((line) => line.includes("Ana Souza"))).toHaveLength(1);
  });
});

test("the number of a paper has the day in Brasília on which it says that the exam came", async () => {
  const now = t.deps.clock.now().getTime();
  const dayMs = 24 * 3600_000;
  // The next half past two of UTC, which may be after the end of the owner's session.
  const wait = (dayMs + 2.5 * 3600_000 - (now % dayMs)) % dayMs;
  t.advance(wait);
  const late = await t.addPerson("Dona da Noite", { plan: "clinica" });
  const { studies } = await t.store(late, sampleZip({ study: "4" }));
  const headers = { accept: "application/pdf", "accept-language": "pt-BR" };
  const answer = await t.call("GET", `/api/studies/${studies[0]?.id}/receipt`, { as: late, headers });
  const text = (await readPdf(new Uint8Array(await answer.arrayBuffer()))).pages[0]?.join(" ") ?? "";
  const [year, month, day] = new Date(now + wait - dayMs).toISOString().slice(0, 10).split("-");
  expect(text).toContain(`${day}-${month}-${year}, 23:30`);
  expect(text).toContain(`${year}-${month}-${day}-`);
});

test("a letter that the paper's font lacks loses its mark, and a long word is broken where it must be", () => {
  expect(Buffer.from(encodeWinAnsi("çÃőŁ–€本")).toString("hex")).toBe("e7c36f4c96803f");
  const style = { font: "regular", size: 10, width: 100, maxLines: 2 } as const;
  const lines = wrapText("a".repeat(200), style);
  expect(lines).toHaveLength(2);
  expect(lines[1]).toEndWith("…");
  expect(lines.every((line) => textWidth(line, "regular", 10) <= 100)).toBe(true);
  expect(wrapText("um dois", style)).toEqual(["um dois"]);
  // Helvetica's dash and ellipsis are as wide as the font is high.
  expect(["—", "…", "Æ", "½"].map((one) => textWidth(one, "bold", 10))).toEqual([10, 10, 10, 8.34]);
});
