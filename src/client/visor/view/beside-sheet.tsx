import { Trans, useLingui } from "@lingui/react/macro";
import { IconButton } from "../../ui/button.tsx";
import { DownloadIcon } from "../../ui/icons.tsx";
import type { Opened, ShownDocument } from "./use-opened.ts";
import type { DocumentProps, ExamProps, VisorProps } from "./visor-props.ts";
import { VisorSheet } from "./visor-sheet.tsx";

interface BesideSheetProps
  extends Pick<ExamProps, "laudo" | "documentName">,
    Pick<VisorProps, "documents" | "onEnded"> {
  shown: NonNullable<Opened["beside"]>;
  /** Whether there is no film that goes on being seen. */
  isAlone: boolean;
  /** What has the focus afterwards. */
  returnTo: Opened["besideOpener"];
  onClose: () => void;
}

/** The laudo or a document of the study: a sheet over the film of a phone, a panel beside that of a desktop. */
export function BesideSheet({ shown, isAlone, returnTo, onClose, ...props }: BesideSheetProps) {
  // One sheet for both: what takes the place of the other leaves the focus where it is.
  return (
    <VisorSheet
      isBeside
      isFullAtFirst={isAlone}
      returnTo={returnTo}
      onClose={onClose}
      {...(shown === "laudo" ? laudoParts(props) : documentParts(shown, props))}
    />
  );
}

function laudoParts({ laudo }: Pick<ExamProps, "laudo">) {
  return {
    title: <Trans id="visor.laudo">Report</Trans>,
    detail: laudo?.detail,
    actions: laudo?.onDownload && <LaudoDownload onClick={laudo.onDownload} />,
    children: laudo ? (
      laudo.render()
    ) : (
      <p className="visor-no-laudo" role="status">
        <Trans id="visor.laudo.none">This exam has no report yet.</Trans>
      </p>
    ),
  };
}

function documentParts(
  { document, model }: ShownDocument,
  { documents, documentName, onEnded }: Pick<BesideSheetProps, "documents" | "documentName" | "onEnded">,
) {
  if (!documents) return { title: document.title, children: null };
  const { Title, Detail, Save, Pages } = documents;
  const read: DocumentProps["read"] = (options) => model.readDocument(document, options);
  return {
    title: <Title document={document} />,
    detail: <Detail document={document} />,
    actions: documentName && <Save key={document.key} document={document} read={read} name={documentName} />,
    children: (
      <Pages
        key={document.key}
        document={document}
        read={read}
        canDownload={documentName !== undefined}
        onEnded={onEnded}
      />
    ),
  };
}

function LaudoDownload({ onClick }: { onClick: () => void }) {
  const { t } = useLingui();
  return (
    <IconButton label={t({ id: "visor.laudo.download", message: "Download the report" })} onClick={onClick}>
      <DownloadIcon />
    </IconButton>
  );
}
