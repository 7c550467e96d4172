import "../../support/client/dom-globals.ts";
import { afterEach, describe, expect, test } from "bun:test";
import { getDefaultStore } from "jotai";
import { lastConflictsAtom } from "../../../src/client/features/upload/notices/last-upload.ts";
import type { Locale } from "../../../src/shared/locale.ts";
import { screen, withDom } from "../../support/client/dom.ts";
import { skull } from "../../support/client/skull-study.ts";
import { listOf, showList } from "../../support/client/study-list.tsx";

withDom();
afterEach(() => getDefaultStore().set(lastConflictsAtom, undefined));

const words: Record<Locale, Record<"damaged" | "missing", string>> = {
  "pt-BR": { damaged: "Danificado", missing: "Arquivo ausente" },
  "en-US": { damaged: "Damaged", missing: "Missing" },
};

describe("the list of exams", () => {
  for (const locale of ["pt-BR", "en-US"] as const) {
    for (const integrity of ["damaged", "missing"] as const) {
      test(`marks a ${integrity} exam for its owner, with advice, in ${locale}`, async () => {
        const verifiedAt = "2026-11-22T10:00:00.000Z";
        const storageStatus = integrity === "missing" ? "error" : "b2";
        const study = { ...skull, integrity, verifiedAt, storageStatus } as const;
        await showList(listOf([study]), "user", locale);
        const mark = await screen.findByText(words[locale][integrity]);
        expect(mark.closest(".study-integrity")?.textContent).toContain(
          locale === "pt-BR" ? "isso repara as imagens" : "that repairs the images",
        );
      });
    }
  }

  test("shows no mark on an intact exam", async () => {
    await showList(listOf([{ ...skull, integrity: "ok", verifiedAt: "2026-11-22T10:00:00.000Z" }]));
    await screen.findByRole("table");
    expect(document.querySelector(".study-integrity")).toBeNull();
  });

  test("shows a notice about conflicting instance identifiers of an upload until it is dismissed", async () => {
    getDefaultStore().set(lastConflictsAtom, {
      conflicts: [{ name: "CD2/IM1", sopInstanceUID: "2.25.9" }],
      conflictCount: 1,
    });
    const { user } = await showList(listOf([skull]));
    await screen.findByText(/mesmo identificador. As duas foram guardadas/);
    await user.click(screen.getByRole("button", { name: "Ver quais" }));
    expect(await screen.findByText("CD2/IM1")).toBeTruthy();
    expect(screen.getByText("2.25.9")).toBeTruthy();
    await user.keyboard("{Escape}");
    await user.click(await screen.findByRole("button", { name: "Fechar" }));
    expect(screen.queryByText(/mesmo identificador/)).toBeNull();
  });
});
