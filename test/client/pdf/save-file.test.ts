import { expect, test } from "bun:test";
import { pdfName } from "../../../src/client/features/pdf/save-file.ts";

test("a PDF's file name has its title's letters with their accents, also where these are characters of their own", () => {
  expect(pdfName("Laudo", "Crânio: ação 1/2", null, "2026-11-14")).toBe(
    "Laudo_Crânio_ação_1_2_2026-11-14.pdf",
  );
  expect(pdfName("Crânio e coração".normalize("NFD"))).toBe("Crânio_e_coração.pdf");
  expect(pdfName("हिन्दी")).toBe("हिन्दी.pdf");
});

test("a PDF's file name ends within a title that is too long, between characters, and is never empty", () => {
  expect(pdfName(`${"a".repeat(119)}𠮷野`)).toBe(`${"a".repeat(119)}.pdf`);
  expect(pdfName("🩻 / 🩻")).toBe("documento.pdf");
});
