import "../../support/client/dom-globals.ts";
import { expect, test } from "bun:test";
import { pdfName } from "../../../src/client/features/pdf/save-file.ts";
import { activateLocale } from "../../../src/client/i18n.ts";
import { withDom } from "../../support/client/dom.ts";

withDom();

test("a PDF's file name has its title's letters with their accents, also where these are characters of their own", () => {
  expect(pdfName("Laudo", "Crânio: ação 1/2", null, "2026-11-14")).toBe(
    "Laudo_Crânio_ação_1_2_2026-11-14.pdf",
  );
  expect(pdfName("Laudo", "Tomografia: crânio / sem")).toBe("Laudo_Tomografia_crânio_sem.pdf");
  expect(pdfName("Crânio e coração".normalize("NFD"))).toBe("Crânio_e_coração.pdf");
  expect(pdfName("हिन्दी")).toBe("हिन्दी.pdf");
});

test("a PDF's file name ends within a title that is too long, between characters", () => {
  expect(pdfName(`${"a".repeat(119)}𠮷野`)).toBe(`${"a".repeat(119)}.pdf`);
});

test("a PDF without a title is called a document in the language of the page", async () => {
  await activateLocale("en-US");
  expect(pdfName("🩻")).toBe("document.pdf");
  await activateLocale("pt-BR");
  expect(pdfName("🩻 / 🩻")).toBe("documento.pdf");
  expect(pdfName("../..", null)).toBe("documento.pdf");
});

test("a PDF is not named as a device of Windows", () => {
  expect([pdfName("Con"), pdfName("aux."), pdfName("LPT1"), pdfName("Contraste")]).toEqual([
    "_Con.pdf",
    "_aux.pdf",
    "_LPT1.pdf",
    "Contraste.pdf",
  ]);
});
