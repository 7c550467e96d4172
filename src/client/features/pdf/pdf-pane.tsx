import { Trans, useLingui } from "@lingui/react/macro";
import { useAtom } from "jotai";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { Button, IconButton } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { ErrorCard } from "../../ui/error-card.tsx";
import { useEscape } from "../../ui/hooks/use-escape.ts";
import { ArrowLeftIcon, DownloadIcon, PrinterIcon, SearchIcon, TrashIcon } from "../../ui/icons.tsx";
import { showToast } from "../../ui/toast.tsx";
import { openAtom } from "../places/views.ts";
import { FindControls } from "./find-controls.tsx";
import { Opening } from "./opening.tsx";
import type { Zoom } from "./page-layout.ts";
import { type OpenPdf, PdfStage, type Place } from "./pdf-stage.tsx";
import { MAX_PRINTED_PAGES, printPdf } from "./print-pdf.ts";
import { useDocumentKey } from "./use-document-key.ts";
import { type Find, useFind } from "./use-find.ts";
import { ZoomControls } from "./zoom-controls.tsx";

interface PdfDeletion {
  question: ReactNode;
  label: string;
  isPending: boolean;
  run: () => void;
}

export interface PdfPaneProps {
  title: ReactNode;
  subtitle: ReactNode;
  /** Undefined while it is loading. */
  file: Blob | undefined;
  /** Why it could not be loaded. */
  failure?: { title: ReactNode; text: string; retry: () => void };
  /** Where the way back leads; undefined: to the list. */
  backLabel?: ReactNode;
  /** Called by the button and by Escape. */
  onBack: () => void;
  /** Undefined if the reader may not download the PDF. */
  onDownload: (() => void) | undefined;
  /** Undefined if the reader may not delete the PDF. */
  deletion: PdfDeletion | undefined;
}

/** A PDF inside the frame, with a bar for back, zoom, download and delete. */
export function PdfPane({ file, failure, ...bar }: PdfPaneProps) {
  const [zoom, setZoom] = useState<Zoom>("auto");
  const [pdf, setPdf] = useState<OpenPdf>();
  const [place, setPlace] = useState<Place>();
  const find = useFind(pdf, place?.page ?? 1);
  useEscape(bar.onBack);
  return (
    <div className="pdf">
      <PdfBar {...bar} file={file} pdf={pdf} />
      {place && pdf && <PdfTools place={place} zoom={zoom} find={find} onZoom={setZoom} />}
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
          <PdfStage
            file={file}
            zoom={zoom}
            onZoom={setZoom}
            wanted={{ words: find.words, current: find.found?.current }}
            onOpen={setPdf}
            onPlace={setPlace}
          />
        ) : (
          <Opening />
        )}
      </div>
    </div>
  );
}

interface ToolsProps {
  place: Place;
  zoom: Zoom;
  onZoom: (zoom: Zoom) => void;
  find: Find;
}

/** Page number, search and zoom; on a phone an open search takes the whole row. */
function PdfTools({ place, zoom, onZoom, find }: ToolsProps) {
  const { t } = useLingui();
  const [isFinding, setFinding] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const close = () => {
    flushSync(() => setFinding(false));
    opener.current?.focus();
  };
  const open = () => {
    // A hidden field can't take the focus, so it is shown first.
    flushSync(() => setFinding(true));
    input.current?.focus();
    input.current?.select();
  };
  useDocumentKey("f", () => {
    const isThere = document.activeElement === input.current;
    if (!isThere) open();
    return !isThere;
  });
  return (
    <div className={`pdf-tools ${isFinding ? "is-finding" : ""}`}>
      <span className="pdf-place" aria-live="polite">
        <Trans id="pdf.place">
          Page {place.page} of {place.pages}
        </Trans>
      </span>
      <FindControls find={find} input={input} isOpen={isFinding} onClose={close} />
      <IconButton
        ref={opener}
        className="pdf-find-open"
        label={t({ id: "pdf.find", message: "Find in the document" })}
        onClick={open}
      >
        <SearchIcon />
      </IconButton>
      <ZoomControls zoom={zoom} scale={place.scale} onZoom={onZoom} />
    </div>
  );
}

type BarProps = Omit<PdfPaneProps, "failure"> & { pdf: OpenPdf | undefined };

function PdfBar({ title, subtitle, file, pdf, backLabel, onBack, onDownload, deletion }: BarProps) {
  const { t } = useLingui();
  const print = usePrint(pdf);
  return (
    <header className="pdf-bar">
      <Button size="small" onClick={onBack}>
        <ArrowLeftIcon small />
        <span className="pdf-back">{backLabel ?? <Trans id="pdf.back">Back to the list</Trans>}</span>
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
      {onDownload && (
        <Button size="small" disabled={!file} onClick={onDownload}>
          <DownloadIcon small />
          <Trans id="pdf.download">Download</Trans>
        </Button>
      )}
      {deletion && <DeleteControl {...deletion} />}
    </header>
  );
}

const isDeletingPdfAtom = openAtom("delete-pdf");

function DeleteControl({ question, label, isPending, run }: PdfDeletion) {
  const [isAsking, setAsking] = useAtom(isDeletingPdfAtom);
  return (
    <>
      <IconButton label={label} destructive onClick={() => setAsking(true)}>
        <TrashIcon />
      </IconButton>
      <ConfirmDialog
        open={isAsking}
        onOpenChange={(open) => {
          if (!isPending) setAsking(open);
        }}
        title={<Trans id="pdf.delete.title">Confirm deletion</Trans>}
        text={question}
        confirmLabel={
          isPending ? (
            <Trans id="action.deleting">Deleting…</Trans>
          ) : (
            <Trans id="pdf.delete.yes">Yes, delete</Trans>
          )
        }
        busy={isPending}
        onConfirm={run}
      />
    </>
  );
}

function usePrint(pdf: OpenPdf | undefined) {
  const { t } = useLingui();
  const [isBusy, setBusy] = useState(false);
  const printing = useRef<AbortController>(undefined);
  // A document that was left is not printed over the next view.
  useEffect(() => () => printing.current?.abort(), []);
  const run = async () => {
    if (!pdf) return;
    if (pdf.numPages > MAX_PRINTED_PAGES) {
      const pages = MAX_PRINTED_PAGES;
      showToast({
        tone: "info",
        title: t({ id: "pdf.print", message: "Print" }),
        text: t({
          id: "pdf.print.tooLong",
          message: `Documents with more than ${pages} pages have to be downloaded to print them.`,
        }),
      });
      return;
    }
    const begun = new AbortController();
    printing.current = begun;
    setBusy(true);
    try {
      await printPdf(pdf, begun.signal);
    } catch (error) {
      if (begun.signal.aborted) return;
      showToast({ tone: "bad", title: t({ id: "pdf.print.failed", message: "Error printing" }) });
      throw error;
    } finally {
      setBusy(false);
    }
  };
  useDocumentKey("p", () => {
    if (!isBusy) void run();
    return pdf !== undefined;
  });
  return { isBusy, run: () => void run() };
}
