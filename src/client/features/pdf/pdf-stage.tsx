import { Trans, useLingui } from "@lingui/react/macro";
import { type KeyboardEvent, type RefObject, useCallback, useEffect, useRef, useState } from "react";
import { Document, type DocumentProps, Page, pdfjs } from "react-pdf";
import { ErrorCard } from "../../ui/error-card.tsx";
import { filesWithin } from "./files-within.ts";
import { makeStreamsIterable } from "./iterable-streams.ts";
import { Opening } from "./opening.tsx";
import {
  drawnPages,
  layOut,
  nextZoom,
  type PageSize,
  pageAt,
  pinchedZoom,
  pixelRatioOf,
  scaleOf,
  type Zoom,
} from "./page-layout.ts";
import { type ReportLayer, useHitHighlights, type Wanted } from "./use-hit-highlights.ts";
import { type DeskPoint, usePinch } from "./use-pinch.ts";

// This is the only file that imports the PDF library, so the library can be replaced here.

makeStreamsIterable();
pdfjs.GlobalWorkerOptions.workerSrc = process.env.PDF_WORKER_URL ?? "";

/** Only the page of a medium has them. */
const within = process.env.PDF_FILES ? filesWithin(process.env.PDF_FILES) : undefined;

/** Everything loads from our own origin, or is in this page. A PDF's scripts, forms and links are not drawn. */
const documentOptions = {
  cMapUrl: "/assets/",
  standardFontDataUrl: "/assets/",
  wasmUrl: "/assets/",
  useWasm: within !== undefined,
  enableXfa: false,
  maxImageSize: 64_000_000,
};
const A4: PageSize = { width: 595, height: 842 };

export type OpenPdf = Parameters<NonNullable<DocumentProps["onLoadSuccess"]>>[0];

export interface Place {
  page: number;
  pages: number;
  scale: number;
}

interface PdfStageProps {
  file: Blob;
  /** Whether a button beside it downloads the file. */
  canDownload?: boolean;
  zoom: Zoom;
  onZoom: (zoom: Zoom) => void;
  /** The hits to highlight; the stage scrolls to the current hit whenever it changes. */
  wanted: Wanted;
  onOpen: (pdf: OpenPdf) => void;
  /** Called when the reader's page changes. */
  onPlace: (place: Place) => void;
}

/** The pages of a PDF on the dark desk; only pages near the visible part are drawn. */
export function PdfStage({ file, canDownload = true, onOpen, ...stage }: PdfStageProps) {
  const [pdf, setPdf] = useState<OpenPdf>();
  const [failure, setFailure] = useState<Failure>();
  const options = useDocumentOptions();
  useEffect(() => within?.onMissing(() => setFailure("partial")), []);
  if (failure) return <Unreadable failure={failure} canDownload={canDownload} />;
  if (!options) return <Opening />;
  return (
    <Document
      file={file}
      options={options}
      suspense={false}
      className="pdf-document"
      loading={<Opening />}
      error={<Unreadable canDownload={canDownload} />}
      onPassword={() => setFailure("locked")}
      onLoadError={() => setFailure("broken")}
      onLoadSuccess={(opened) => {
        setPdf(opened);
        onOpen(opened);
      }}
    >
      {pdf && <Pages pdf={pdf} canDownload={canDownload} {...stage} />}
    </Document>
  );
}

/** Those of a page that has the files within itself come with a worker, which ends with the stage, whatever it is busy with. */
function useDocumentOptions(): DocumentProps["options"] {
  const [options, setOptions] = useState<DocumentProps["options"]>(within ? undefined : documentOptions);
  useEffect(() => {
    if (!within) return undefined;
    const port = within.startWorker();
    setOptions({
      ...documentOptions,
      worker: pdfjs.PDFWorker.create({ port }),
      BinaryDataFactory: within.BinaryDataFactory,
      // A font that the system lacks has no address here.
      standardFontDataUrl: undefined,
      useWorkerFetch: false,
    });
    return () => port.terminate();
  }, []);
  return options;
}

/** `partial`: this page lacks what its text is drawn with. */
type Failure = "locked" | "broken" | "partial";

function Unreadable({ failure = "broken", canDownload }: { failure?: Failure; canDownload: boolean }) {
  return (
    <div className="pdf-wait">
      <ErrorCard title={<Trans id="pdf.unreadable">This PDF cannot be shown</Trans>}>
        {failure === "locked" && <Locked canDownload={canDownload} />}
        {failure === "broken" && <Broken canDownload={canDownload} />}
        {failure === "partial" && (
          <Trans id="pdf.partial">
            Its text needs fonts that this page lacks. Download it to open it in another program.
          </Trans>
        )}
      </ErrorCard>
    </div>
  );
}

function Locked({ canDownload }: { canDownload: boolean }) {
  if (!canDownload) return <Trans id="pdf.locked.text">It is protected by a password.</Trans>;
  return <Trans id="pdf.locked">It is protected by a password. Download it to open it.</Trans>;
}

function Broken({ canDownload }: { canDownload: boolean }) {
  if (!canDownload) return <Trans id="pdf.broken.text">The file seems to be damaged.</Trans>;
  return (
    <Trans id="pdf.broken">The file seems to be damaged. Download it to open it in another program.</Trans>
  );
}

type PagesProps = Omit<PdfStageProps, "file" | "canDownload" | "onOpen"> & {
  pdf: OpenPdf;
  canDownload: boolean;
};

function Pages({ pdf, canDownload, zoom, onZoom, wanted, onPlace }: PagesProps) {
  const { t } = useLingui();
  const desk = useRef<HTMLElement>(null);
  const { deskSize, scrollTop, onScroll } = useDesk(desk);
  const { sizeOf, learn } = usePageSizes();
  const scale = scaleOf(zoom, sizeOf(0), deskSize);
  const tops = layOut(pdf.numPages, scale, sizeOf);
  const page = pageAt(tops, scrollTop + deskSize.height / 2) + 1;
  const drawn = drawnPages(tops, scrollTop, deskSize.height);
  const keepPoint = useKeptPlace(desk, tops, scrollTop);
  const reportLayer = useHitHighlights(desk, wanted);
  usePinch(desk, (factor, at) => {
    keepPoint(at);
    onZoom(pinchedZoom(scale, factor));
  });

  useEffect(() => onPlace({ page, pages: pdf.numPages, scale }), [page, pdf, scale, onPlace]);

  const { current } = wanted;
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another hit scrolls, not a new layout
  useEffect(() => {
    if (!current || drawn.includes(current.page - 1)) return;
    desk.current?.scrollTo({ top: (tops[current.page - 1] ?? 0) - 8 });
  }, [current]);

  return (
    <section
      ref={desk}
      className="pdf-desk"
      aria-label={t({ id: "pdf.pages", message: "Pages" })}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      onScroll={onScroll}
      onKeyDown={(event) => {
        const asked = zoomByKey(event, scale);
        if (asked === undefined) return;
        event.preventDefault();
        onZoom(asked);
      }}
    >
      <div className="pdf-roll" style={{ height: tops[pdf.numPages] }}>
        {drawn.map((index) => (
          <Sheet
            key={index}
            index={index}
            top={tops[index] ?? 0}
            size={sizeOf(index)}
            scale={scale}
            canDownload={canDownload}
            learn={learn}
            reportLayer={reportLayer}
          />
        ))}
      </div>
    </section>
  );
}

/** Plus and minus zoom, 0 resets the zoom. With Ctrl, these keys zoom the PDF instead of the browser. */
function zoomByKey({ key, altKey }: KeyboardEvent, scale: number): Zoom | undefined {
  if (altKey) return undefined;
  if (key === "+" || key === "=") return nextZoom(scale, 1);
  if (key === "-") return nextZoom(scale, -1);
  return key === "0" ? "auto" : undefined;
}

interface SheetProps {
  index: number;
  top: number;
  size: PageSize;
  scale: number;
  canDownload: boolean;
  learn: (index: number, size: PageSize) => void;
  reportLayer: ReportLayer;
}

function Sheet({ index, top, size, scale, canDownload, learn, reportLayer }: SheetProps) {
  const sheet = useRef<HTMLDivElement>(null);
  // The library renders the text layer again when this function changes.
  const tell = useCallback(() => {
    reportLayer(index, sheet.current?.querySelector<HTMLElement>(".textLayer") ?? undefined);
  }, [index, reportLayer]);
  useEffect(() => () => reportLayer(index, undefined), [index, reportLayer]);
  return (
    <div
      ref={sheet}
      className="pdf-sheet"
      style={{ top, width: Math.floor(size.width * scale), height: Math.floor(size.height * scale) }}
    >
      <Page
        pageNumber={index + 1}
        scale={scale}
        suspense={false}
        devicePixelRatio={pixelRatioOf(size, scale, window.devicePixelRatio)}
        renderAnnotationLayer={false}
        onRenderTextLayerSuccess={tell}
        loading={null}
        error={<Unreadable canDownload={canDownload} />}
        onLoadSuccess={({ originalWidth, originalHeight }) =>
          learn(index, { width: originalWidth, height: originalHeight })
        }
      />
    </div>
  );
}

/** Page sizes are learned as pages load; until then a page counts as large as the first. */
function usePageSizes() {
  const [sizes, setSizes] = useState<ReadonlyMap<number, PageSize>>(new Map());
  const sizeOf = (index: number) => sizes.get(index) ?? sizes.get(0) ?? A4;
  const learn = (index: number, { width, height }: PageSize) =>
    setSizes((known) => {
      const before = known.get(index);
      if (before?.width === width && before.height === height) return known;
      return new Map(known).set(index, { width, height });
    });
  return { sizeOf, learn };
}

function useDesk(desk: RefObject<HTMLElement | null>) {
  const [deskSize, setDeskSize] = useState<PageSize>({ width: 800, height: 800 });
  const [scrollTop, setScrollTop] = useState(0);
  useEffect(() => {
    const element = desk.current;
    if (!element) return;
    const observer = new ResizeObserver(() =>
      setDeskSize({ width: element.clientWidth, height: element.clientHeight }),
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [desk]);
  const onScroll = () => {
    if (desk.current) setScrollTop(desk.current.scrollTop);
  };
  return { deskSize, scrollTop, onScroll };
}

/** Zooming keeps the text being read in place: at the top, or around the last given point. */
function useKeptPlace(desk: RefObject<HTMLElement | null>, tops: Float64Array, scrollTop: number) {
  const before = useRef({ height: 0, scrollTop: 0 });
  const kept = useRef<DeskPoint>(undefined);
  const height = tops.at(-1) ?? 0;
  useEffect(() => {
    const last = before.current;
    const element = desk.current;
    if (element && last.height > 0 && last.height !== height) {
      const factor = height / last.height;
      const { x, y } = kept.current ?? { x: 0, y: 0 };
      kept.current = undefined;
      if (last.scrollTop + y > 0) {
        element.scrollTo({
          top: (last.scrollTop + y) * factor - y,
          left: (element.scrollLeft + x) * factor - x,
        });
      }
    }
    before.current = { height, scrollTop };
  }, [desk, height, scrollTop]);
  return useCallback((point: DeskPoint) => {
    kept.current = point;
  }, []);
}
