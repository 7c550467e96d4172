import { Trans, useLingui } from "@lingui/react/macro";
import { type ReactNode, Suspense, useEffect, useEffectEvent } from "react";
import { ErrorCard } from "../../ui/error-card.tsx";
import { useFailure } from "../../ui/hooks/use-failure.ts";
import { useIsOnline } from "../../ui/hooks/use-is-online.ts";
import { FileTextIcon } from "../../ui/icons.tsx";
import { lazyChunk } from "../../ui/lazy-chunk.ts";
import {
  SourceDamaged,
  SourceEnded,
  SourceMissing,
  SourceUnreachable,
  SourceUnreadable,
} from "../../visor/core/source.ts";
import { documentTitle } from "../../visor/view/document-texts.ts";
import type { DocumentProps } from "../../visor/view/visor-props.ts";
import { Opening } from "../pdf/opening.tsx";
import { ReportPage } from "./report-page.tsx";
import { useDocumentContent } from "./use-document-content.ts";

const PdfPages = lazyChunk(() => import("./pdf-pages.tsx"));

/** A document that came among the images: a PDF, the page of a structured report, or a word about one that is only saved. */
export function DocumentPages({ document, read, canDownload = false, onEnded }: DocumentProps) {
  const { i18n } = useLingui();
  const query = useDocumentContent({ document, read });
  const { data, refetch } = query;
  const error = useFailure(query);
  const end = useEffectEvent(() => onEnded?.());
  const hasEnded = error instanceof SourceEnded;
  useEffect(() => {
    if (hasEnded) end();
  }, [hasEnded]);
  if (error) return <NotRead error={error} onRetry={() => void refetch()} />;
  if (!data) return <Opening />;
  if (document.kind === "cda") return <FileOnly canDownload={canDownload} />;
  if (typeof data === "string") return <ReportPage html={data} title={documentTitle(i18n, document)} />;
  return (
    <Suspense fallback={<Opening />}>
      <PdfPages file={data} canDownload={canDownload} />
    </Suspense>
  );
}

function FileOnly({ canDownload }: { canDownload: boolean }) {
  return (
    <section className="document-file">
      <FileTextIcon />
      <h2>
        <Trans id="document.file">This document is a file for other programs</Trans>
      </h2>
      <p>
        <Trans id="document.file.text">It is a clinical document in XML, which is not shown here.</Trans>
        {canDownload && (
          <>
            {" "}
            <Trans id="document.file.download">
              Download it to open it in the program of a clinic or a hospital.
            </Trans>
          </>
        )}
      </p>
    </section>
  );
}

function NotRead({ error, onRetry }: { error: Error; onRetry: () => void }) {
  const isOnline = useIsOnline();
  const { title, text, isFinal } = failureOf(error, isOnline);
  return (
    <ErrorCard
      title={title}
      {...(!isFinal && { action: { label: <Trans id="action.retry">Try again</Trans>, run: onRetry } })}
    >
      {text}
    </ErrorCard>
  );
}

interface Failure {
  title: ReactNode;
  text?: ReactNode;
  /** Whether trying again changes nothing. */
  isFinal?: boolean;
}

function failureOf(error: Error, isOnline: boolean): Failure {
  if (error instanceof SourceEnded)
    return { title: <Trans id="visor.ended">Access to this exam has ended</Trans>, isFinal: true };
  if (error instanceof SourceMissing)
    return {
      title: <Trans id="document.missing">This document is no longer in the exam</Trans>,
      text: <Trans id="document.missing.text">It was removed after the exam was opened.</Trans>,
      isFinal: true,
    };
  if (error instanceof SourceUnreadable)
    return {
      title: <Trans id="document.unreadable">This document can't be shown here</Trans>,
      text: (
        <Trans id="document.unreadable.text">
          It is too large, or it has nothing to read. The stored file is unchanged.
        </Trans>
      ),
      isFinal: true,
    };
  if (error instanceof SourceDamaged)
    return {
      title: <Trans id="document.damaged">The stored document is damaged</Trans>,
      text: (
        <Trans id="document.damaged.text">
          It no longer matches what was received, so it is not shown. The administrator was told.
        </Trans>
      ),
    };
  if (error instanceof SourceUnreachable)
    return {
      title: <Trans id="document.lost">Error loading the document</Trans>,
      text: (
        <Trans id="document.unreachable.text">Check that the disc or the folder is still connected.</Trans>
      ),
    };
  return {
    title: <Trans id="document.lost">Error loading the document</Trans>,
    text: isOnline ? (
      <Trans id="document.lost.text">It did not arrive. The stored file is intact.</Trans>
    ) : (
      <Trans id="visor.lost.offline">No connection. It resumes by itself.</Trans>
    ),
  };
}
