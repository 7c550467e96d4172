import type { I18n, MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { DocumentRecord } from "../core/source.ts";

export const documentKinds: Record<DocumentRecord["kind"], MessageDescriptor> = {
  pdf: msg({ id: "visor.document.pdf", message: "PDF document" }),
  cda: msg({ id: "visor.document.cda", message: "Clinical document (CDA)" }),
  report: msg({ id: "visor.document.report", message: "Structured report" }),
};

export function documentTitle(i18n: I18n, { title, kind }: DocumentRecord): string {
  return title || i18n._(documentKinds[kind]);
}

/** What the title leaves out: its kind, and what describes its series. */
export function documentDetail(i18n: I18n, document: DocumentRecord): string {
  const title = documentTitle(i18n, document);
  const { description } = document.series;
  const details = [i18n._(documentKinds[document.kind]), description];
  return details.filter((text) => text && text !== title).join(" · ");
}
