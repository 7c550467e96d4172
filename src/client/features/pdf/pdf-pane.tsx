import { Trans, useLingui } from "@lingui/react/macro";
import { type ReactNode, useState } from "react";
import { Button, IconButton } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { ErrorCard } from "../../ui/error-card.tsx";
import { ArrowLeftIcon, DownloadIcon, PrinterIcon, TrashIcon } from "../../ui/icons.tsx";
import { showToast } from "../../ui/toast.tsx";
import { FindControls } from "./find-controls.tsx";
import type { Zoom } from "./page-layout.ts";
import { Opening, type OpenPdf, PdfStage, type Place } from "./pdf-stage.tsx";
import { MAX_PRINTED_PAGES, printPdf } from "./print-pdf.ts";
import { ZoomControls } from "./zoom-controls.tsx";

export interface PdfPaneProps {
  title: ReactNode;
  subtitle: ReactNode;
  /** Undefined while it is on its way. */
  file: Blob | undefined;
  /** Why it did not come. */
  failure?: { title: ReactNode; text: string; retry: () => void };
  onBack: () => void;
  onDownload: () => void;
  deletion: { question: ReactNode; label: string; isPending: boolean; run: () => void };
}

/** A PDF inside the frame: the paper is the lamp, the bar holds back, zoom, download and delete. */
export function PdfPane({ file, failure, ...bar }: PdfPaneProps) {
  const [zoom, setZoom] = useState<Zoom>("auto");
  const [pdf, setPdf] = useState<OpenPdf>();
  const [place, setPlace] = useState<Place>();
  const [goTo, setGoTo] = useState<{ page: number }>();
  return (
    <div className="pdf">
      <PdfBar {...bar} file={file} pdf={pdf} />
      {place && pdf && (
        <div className="pdf-tools">
          <span className="pdf-place" aria-live="polite">
            <Trans id="pdf.place">
              Page {place.page} of {place.pages}
            </Trans>
          </span>
          <FindControls pdf={pdf} page={place.page} onFound={(page) => setGoTo({ page })} />
          <ZoomControls zoom={zoom} scale={place.scale} onZoom={setZoom} />
        </div>
      )}
      <div className="pdf-stage">
        {failure ? (
          <div className="pdf-wait">
            <ErrorCard
              title={failure.title}
              action={{ label: <Trans id="action.retry">Try again</Trans>, run: failure.retry }}
            >
              {failure.text}
            </ErrorCard>
          </div>
        ) : file ? (
          <PdfStage file={file} zoom={zoom} goTo={goTo} onOpen={setPdf} onPlace={setPlace} />
        ) : (
          <Opening />
        )}
      </div>
    </div>
  );
}

type BarProps = Omit<PdfPaneProps, "failure"> & { pdf: OpenPdf | undefined };

function PdfBar({ title, subtitle, file, pdf, onBack, onDownload, deletion }: BarProps) {
  const { t } = useLingui();
  const [isAsking, setAsking] = useState(false);
  const print = usePrint(pdf);
  return (
    <header className="pdf-bar">
      <Button size="small" onClick={onBack}>
        <ArrowLeftIcon small />
        <span className="pdf-back">
          <Trans id="pdf.back">Back to the list</Trans>
        </span>
      </Button>
      <div className="pdf-title">
        <h1>{title}</h1>
        <p>{subtitle}</p>
      </div>
      <IconButton
        className="pdf-print"
        label={t({ id: "pdf.print", message: "Print" })}
        disabled={!pdf || print.isBusy}
        onClick={print.run}
      >
        <PrinterIcon />
      </IconButton>
      <Button size="small" disabled={!file} onClick={onDownload}>
        <DownloadIcon small />
        <Trans id="pdf.download">Download</Trans>
      </Button>
      <IconButton label={deletion.label} destructive onClick={() => setAsking(true)}>
        <TrashIcon />
      </IconButton>
      <ConfirmDialog
        open={isAsking}
        onOpenChange={(open) => {
          if (!deletion.isPending) setAsking(open);
        }}
        title={<Trans id="study.delete.title">Confirm deletion</Trans>}
        text={deletion.question}
        confirmLabel={
          deletion.isPending ? (
            <Trans id="action.deleting">Deleting…</Trans>
          ) : (
            <Trans id="pdf.delete.yes">Yes, delete</Trans>
          )
        }
        busy={deletion.isPending}
        onConfirm={deletion.run}
      />
    </header>
  );
}

function usePrint(pdf: OpenPdf | undefined) {
  const { t } = useLingui();
  const [isBusy, setBusy] = useState(false);
  const run = async () => {
    if (!pdf) return;
    if (pdf.numPages > MAX_PRINTED_PAGES) {
      const pages = MAX_PRINTED_PAGES;
      showToast({
        tone: "info",
        title: t({ id: "pdf.print", message: "Print" }),
        text: t({
          id: "pdf.print.tooLong",
          message: `Documents of more than ${pages} pages are printed after downloading them.`,
        }),
      });
      return;
    }
    setBusy(true);
    try {
      await printPdf(pdf);
    } catch (error) {
      showToast({ tone: "bad", title: t({ id: "pdf.print.failed", message: "Error printing" }) });
      throw error;
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, run: () => void run() };
}
