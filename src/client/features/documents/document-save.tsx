import { useLingui } from "@lingui/react/macro";
import { fileName } from "../../runtime/file-name.ts";
import { IconButton } from "../../ui/button.tsx";
import { DownloadIcon } from "../../ui/icons.tsx";
import { documentTitle } from "../../visor/view/document-texts.ts";
import type { DocumentSaveProps } from "../../visor/view/visor-props.ts";
import { saveFile } from "../pdf/save-file.ts";
import { reportHtml } from "./report-html.ts";
import { useDocumentContent } from "./use-document-content.ts";

/** Saves what is read: the PDF or the clinical document, or the page of a structured report, which any browser opens and prints. */
export function DocumentSave({ document, read, name }: DocumentSaveProps) {
  const { i18n, t } = useLingui();
  const { data } = useDocumentContent({ document, read });
  const title = documentTitle(i18n, document);
  const save = () => {
    if (!data) return;
    // As bytes: a browser that shows XML runs its style sheet.
    if (document.kind === "cda")
      return saveFile(
        new Blob([data], { type: "application/octet-stream" }),
        fileName("xml", title, ...name),
      );
    if (typeof data !== "string") return saveFile(data, fileName("pdf", title, ...name));
    saveFile(new Blob([reportHtml(data)], { type: "text/html" }), fileName("html", title, ...name));
  };
  return (
    <IconButton
      label={t({ id: "visor.document.download", message: "Download the document" })}
      disabled={!data}
      onClick={save}
    >
      <DownloadIcon />
    </IconButton>
  );
}
