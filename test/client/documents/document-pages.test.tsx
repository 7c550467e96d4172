import "../../support/client/dom-globals.ts";
import { expect, test } from "bun:test";
import { DocumentPages } from "../../../src/client/features/documents/document-pages.tsx";
import { DocumentSave } from "../../../src/client/features/documents/document-save.tsx";
import {
  type DocumentRecord,
  SourceCutOff,
  SourceDamaged,
  SourceEnded,
  SourceMissing,
  SourceUnreadable,
} from "../../../src/client/visor/core/source.ts";
import type { Locale } from "../../../src/shared/locale.ts";
import { act, cleanup, screen, userEvent, withDom } from "../../support/client/dom.ts";
import { pass, withFakeClock } from "../../support/client/fake-clock.ts";
import { renderView } from "../../support/client/render-view.tsx";
import { cda } from "../../support/dicom/sample-documents.ts";

withDom();
withFakeClock("2026-11-21T12:00:00.000Z");

const page = new Blob(["<!doctype html><html><head></head><body><h1>Dose</h1></body></html>"], {
  type: "text/html",
});

const dose: DocumentRecord = {
  key: "2.25.3",
  series: {
    ...{ studyInstanceUID: "2.25.1", seriesInstanceUID: "2.25.2", seriesNumber: 9 },
    ...{ modality: "SR", description: "", instanceCount: 1 },
  },
  sopInstanceUID: "2.25.3",
  kind: "report",
  title: "Dose",
};

async function open(read: () => Promise<Blob>, locale?: Locale): Promise<{ ended(): number }> {
  let ended = 0;
  await renderView(<DocumentPages document={dose} read={read} onEnded={() => ended++} />, { locale });
  await act(() => pass(0));
  return { ended: () => ended };
}

test("the page of a report is in a frame where no script may run, under a policy that loads nothing", async () => {
  await open(async () => page);
  const frame = document.querySelector("iframe");
  expect(frame?.getAttribute("sandbox")).toBe("allow-same-origin");
  expect(frame?.title).toBe("Dose");
  const html = frame?.getAttribute("srcdoc") ?? "";
  const policy = `<head><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src `;
  expect(html).toContain(policy);
  expect(html).toContain("<h1>Dose</h1>");
  expect(screen.getByRole("region", { name: "Dose" }).tabIndex).toBe(0);
});

test("a clinical document is saved as a file and not shown, in both languages", async () => {
  const xml = new Blob([cda as BlobPart], { type: "text/xml" });
  const summary: DocumentRecord = { ...dose, kind: "cda", title: "Sumário" };
  const read = async () => xml;
  for (const [locale, told, label] of [
    ["pt-BR", "Este documento é um arquivo para outros programas", "Baixar o documento"],
    ["en-US", "This document is a file for other programs", "Download the document"],
  ] as const) {
    await renderView(
      <>
        <DocumentSave document={summary} read={read} name={["Ana"]} />
        <DocumentPages document={summary} read={read} canDownload />
      </>,
      { locale },
    );
    await act(() => pass(0));
    expect(screen.getByRole("heading").textContent).toBe(told);
    expect(document.querySelector("iframe, canvas")).toBeNull();
    const saved: { name: string; type: string }[] = [];
    const blobs = new Map<string, Blob>();
    const [createUrl, click] = [URL.createObjectURL, HTMLAnchorElement.prototype.click];
    URL.createObjectURL = (blob: Blob) => {
      blobs.set("blob:1", blob);
      return "blob:1";
    };
    HTMLAnchorElement.prototype.click = function () {
      saved.push({ name: this.download, type: blobs.get(this.href)?.type ?? "" });
    };
    try {
      screen.getByRole("button", { name: label }).click();
    } finally {
      URL.createObjectURL = createUrl;
      HTMLAnchorElement.prototype.click = click;
    }
    expect(saved).toEqual([{ name: "Sumário_Ana.xml", type: "application/octet-stream" }]);
    cleanup();
  }
});

test("each failure is told in words, and what may pass can be tried again, in both languages", async () => {
  const failures: [Error, string, string, boolean][] = [
    [new TypeError("503"), "Erro ao carregar documento", "Error loading the document", true],
    [new SourceCutOff(), "Erro ao carregar documento", "Error loading the document", true],
    [new SourceDamaged(), "O documento guardado está danificado", "The stored document is damaged", true],
    [
      new SourceMissing(),
      "Este documento não está mais no exame",
      "This document is no longer in the exam",
      false,
    ],
    [
      new SourceUnreadable(),
      "Este documento não pode ser mostrado aqui",
      "This document can't be shown here",
      false,
    ],
  ];
  for (const [failure, portuguese, english, mayPass] of failures) {
    for (const [locale, title] of [["pt-BR", portuguese] as const, ["en-US", english] as const]) {
      await open(() => Promise.reject(failure), locale);
      expect(screen.getByRole("alert").querySelector("h2")?.textContent).toBe(title);
      expect(screen.queryAllByRole("button")).toHaveLength(mayPass ? 1 : 0);
      cleanup();
    }
  }
});

test("access that has ended is told to the viewer, once", async () => {
  const { ended } = await open(() => Promise.reject(new SourceEnded()));
  await pass(60_000);
  expect(ended()).toBe(1);
});

test("after an outage a document comes by itself, but one that broke off only when the person says so", async () => {
  let answer = (): Promise<Blob> => Promise.reject(new TypeError("no connection"));
  await open(() => answer());
  answer = async () => page;
  await pass(16_000);
  expect(document.querySelector("iframe")).toBeTruthy();
  cleanup();

  answer = () => Promise.reject(new SourceCutOff());
  await open(() => answer());
  answer = async () => page;
  await pass(60_000);
  expect(document.querySelector("iframe")).toBeNull();
  await userEvent.setup({ delay: null }).click(screen.getByRole("button", { name: "Tentar novamente" }));
  await act(() => pass(0));
  expect(document.querySelector("iframe")).toBeTruthy();
});
