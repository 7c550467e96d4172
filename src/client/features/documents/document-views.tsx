import { useLingui } from "@lingui/react/macro";
import { documentDetail, documentTitle } from "../../visor/view/document-texts.ts";
import type { DocumentProps } from "../../visor/view/visor-props.ts";

export { DocumentList } from "../../visor/view/document-list.tsx";
export { DocumentPages } from "./document-pages.tsx";
export { DocumentSave } from "./document-save.tsx";
export { LocalDocumentPages, LocalDocumentSave } from "./local-documents.tsx";

export function DocumentTitle({ document }: Pick<DocumentProps, "document">) {
  const { i18n } = useLingui();
  return documentTitle(i18n, document);
}

export function DocumentDetail({ document }: Pick<DocumentProps, "document">) {
  const { i18n } = useLingui();
  return documentDetail(i18n, document);
}
