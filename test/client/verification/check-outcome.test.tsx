import "../../support/client/dom-globals.ts";
import { describe, expect, test } from "bun:test";
import { CheckOutcome } from "../../../src/client/features/verification/check-outcome.tsx";
import type { Comparison } from "../../../src/client/features/verification/compare-files.ts";
import { ReceiptFacts } from "../../../src/client/features/verification/receipt-facts.tsx";
import VerifyScreen from "../../../src/client/features/verification/verify-screen.tsx";
import type { Receipt } from "../../../src/shared/api/receipts.ts";
import { drawn, fireEvent, screen, userEvent, waitFor, withDom } from "../../support/client/dom.ts";
import { renderClient } from "../../support/client/render-client.tsx";
import { answerCalls } from "../../support/client/render-view.tsx";

withDom();

const missing = ["2.25.1", "2.25.2"];
const none: Comparison = { matching: 0, changed: [], missing, unknown: [], others: 0 };

async function show(comparison: Partial<Comparison>, absent = 0) {
  const check = {
    state: "done",
    result: { kind: "compared", comparison: { ...none, ...comparison }, images: 2, absent },
  } as const;
  await renderClient(<CheckOutcome check={check} />);
}

test("files of another exam are told as such, with the list of them folded", async () => {
  await show({ unknown: ["IM1", "IM2"] });
  expect(screen.getByText("Estes arquivos são de outro exame.")).toBeDefined();
  expect(screen.queryByText(/não conferem/)).toBeNull();
  expect(screen.getByText("IM1").closest("details")?.open).toBe(false);
});

test("images that were changed are told as differing, with their names in sight", async () => {
  await show({ changed: [{ name: "IM1", sopInstanceUID: "2.25.1" }], missing: ["2.25.2"] });
  expect(screen.getByText("2 de 2 imagens não conferem com o que foi recebido.")).toBeDefined();
  expect(screen.getByText("IM1").closest("details")).toBeNull();
});

test("files without an image are told as such, and not as an exam that was changed", async () => {
  await show({ others: 3 });
  expect(screen.getByText("Não há imagens nestes arquivos.")).toBeDefined();
  expect(screen.queryByText(/não conferem/)).toBeNull();
});

test("an image beside all that was received is named, and those are told as unchanged", async () => {
  await show({ matching: 2, missing: [], unknown: ["IM9"] });
  expect(screen.getByText("1 imagem daqui não foi recebida com as outras.")).toBeDefined();
  expect(screen.getByText("As 2 que foram recebidas estão exatamente como vieram.")).toBeDefined();
  expect(screen.getByText("IM9")).toBeDefined();
  expect(screen.queryByText(/não conferem/)).toBeNull();
});

test("an exam of a paper about several is told as unchanged, and that the others are not here", async () => {
  await show({ matching: 2, missing: [] }, 1);
  expect(screen.getByText("2 imagens, exatamente como foram recebidas")).toBeDefined();
  expect(screen.getByText("Outro exame deste recibo não está entre estes arquivos.")).toBeDefined();
});

describe("the receipts of one PDF", () => {
  const receiptOf = (number: number, from?: string) => ({
    ...{
      version: 1 as const,
      studyInstanceUID: `2.25.${number}`,
      root: `${number}`.repeat(64),
      instances: [],
    },
    ...{ receivedAt: `2026-0${number}-10T12:00:00.000Z`, ...(from !== undefined && { from }) },
  });
  const showAll = async (first: Receipt, ...others: Receipt[]) => {
    const digest = { ...first, images: 2, sizeBytes: 2 };
    const opened = { digest, receipt: first, others, signature: "valid" as const };
    await renderClient(<ReceiptFacts opened={opened} onReplace={() => {}} />);
    return [screen.getByText("Recebido em"), screen.queryByText("Entregue por")].map((title) =>
      Array.from(title?.nextElementSibling?.children ?? [], ({ textContent }) => textContent),
    );
  };

  test("say each who delivered its exam and when, where that is not the same", async () => {
    const [moments, senders] = await showAll(receiptOf(1, "Clínica São João"), receiptOf(2));
    // As their paper says it, wherever the person is.
    expect(moments).toEqual(["10-01-2026, 09:00:00 (Brasília)", "10-02-2026, 09:00:00 (Brasília)"]);
    expect(senders).toEqual(["Clínica São João", "–"]);
  });

  test("are told to be more than those that can be read", async () => {
    const one = receiptOf(1);
    const opened = { digest: { ...one, images: 2, sizeBytes: 2 }, receipt: one, signature: "valid" } as const;
    await renderClient(<ReceiptFacts opened={{ ...opened, unread: 1 }} onReplace={() => {}} />);
    expect(screen.getByRole("alert").textContent).toBe(
      "Este PDF tem mais um recibo, que não pode ser lido. Só os outros exames podem ser conferidos.",
    );
  });

  test("say once what is true of all", async () => {
    const one = receiptOf(1, "Clínica São João");
    const [moments, senders] = await showAll(one, { ...one, root: "3".repeat(64) });
    expect([moments?.length, senders]).toEqual([1, ["Clínica São João"]]);
  });
});

test("a PDF of which no receipt can be read is told as such, and not as a file without one", async () => {
  answerCalls({ "GET /.well-known/jwks.json": () => Response.json({ keys: [] }) });
  await renderClient(<VerifyScreen productName="Exameteca" />);
  const user = userEvent.setup();
  const pick = async (...heads: string[]) => {
    const input = document.querySelector<HTMLInputElement>("input[type=file]");
    const file = new File(["%PDF-1.7\n", ...heads], "recibo.pdf", { type: "application/pdf" });
    if (input) await user.upload(input, file);
    return await screen.findByRole("alert");
  };
  const head =
    "/Type /EmbeddedFile /Subtype /application#2Fjose >> /Length 3 /Filter /FlateDecode >>\nstream\n123";
  const said =
    "Este PDF tem um recibo, mas ele não pode ser lido. Baixe o PDF de novo onde o exame está guardado.";
  expect((await pick(head)).textContent).toBe(said);
  await pick();
  await waitFor(() =>
    expect(screen.getByRole("alert").textContent).toStartWith("Este arquivo não é um recibo"),
  );
});

test("the focus stays at the receipt when it takes the place of the button that it was chosen by, and back", async () => {
  answerCalls({ "GET /.well-known/jwks.json": () => Response.json({ keys: [] }) });
  await renderClient(<VerifyScreen productName="Exameteca" />);
  screen.getByRole("button", { name: "Escolher recibo" }).focus();
  const digest = {
    version: 1,
    receivedAt: "2026-11-14T12:00:00.000Z",
    images: 2,
    sizeBytes: 9,
    root: "0".repeat(64),
  };
  const files = [new File([JSON.stringify(digest)], "recibo.json", { type: "application/json" })];
  const input = document.querySelector("input[type=file]");
  if (input) fireEvent.change(input, { target: { files } });
  const other = await screen.findByRole("button", { name: "Outro recibo" });
  const step = screen.getByRole("region", { name: "1. O recibo" });
  await waitFor(() => expect(document.activeElement === step).toBe(true));
  const user = userEvent.setup();
  await user.tab();
  expect(document.activeElement === other).toBe(true);
  await user.keyboard("{Enter}");
  await waitFor(() => expect(document.activeElement === step).toBe(true));
});

describe("a receipt that is brought", () => {
  const digestOf = (images: number) => ({
    ...{ version: 1, receivedAt: "2026-11-14T12:00:00.000Z", images, sizeBytes: 9, root: "0".repeat(64) },
  });
  const fileOf = (images: number) =>
    new File([JSON.stringify(digestOf(images))], "recibo.json", { type: "application/json" });
  const bring = (file: File) => {
    const input = document.querySelector("input[type=file]");
    if (input) fireEvent.change(input, { target: { files: [file] } });
  };
  const showScreen = () => renderClient(<VerifyScreen productName="Exameteca" />);
  const keys = () => Response.json({ keys: [] });

  test("is the one that was chosen last, however late the keys for the one before come", async () => {
    const slow = Promise.withResolvers<Response>();
    const answers = [slow.promise, keys()];
    answerCalls({ "GET /.well-known/jwks.json": () => answers.shift() ?? keys() });
    await showScreen();
    bring(fileOf(2));
    bring(fileOf(3));
    await screen.findByText(/^3 · /);
    slow.resolve(keys());
    await drawn();
    expect(screen.queryAllByText(/^2 · /).length).toBe(0);
  });

  test("is that of the address, also when another one is pasted into the same tab", async () => {
    answerCalls({ "GET /.well-known/jwks.json": keys });
    const textOf = (images: number) =>
      [{ alg: "EdDSA", kid: "k" }, digestOf(images), {}]
        .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
        .join(".");
    window.location.hash = textOf(2);
    await showScreen();
    await screen.findByText(/^2 · /);
    window.location.hash = textOf(3);
    await screen.findByText(/^3 · /);
  });

  test("is missing where the address was not copied whole, of which no file is to blame", async () => {
    answerCalls({ "GET /.well-known/jwks.json": keys });
    window.location.hash = "eyJhbGciOiJFZERTQSIs";
    await showScreen();
    expect((await screen.findByRole("alert")).textContent).toBe(
      "Este endereço não traz um recibo, ou não foi copiado inteiro. Copie-o de novo ou escolha o PDF do recibo.",
    );
    bring(new File(["nothing"], "recibo.json"));
    await waitFor(() => expect(screen.getByRole("alert").textContent).toStartWith("Este arquivo não é"));
  });

  test("is told to be gone where its file was removed since it was chosen", async () => {
    answerCalls({ "GET /.well-known/jwks.json": keys });
    await showScreen();
    const file = fileOf(2);
    file.arrayBuffer = () => Promise.reject(new DOMException("gone", "NotReadableError"));
    bring(file);
    expect((await screen.findByRole("alert")).textContent).toStartWith("Um arquivo");
  });
});
