import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, Suspense, useEffect, useEffectEvent } from "react";
import { activeLocale } from "../../i18n.ts";
import { ErrorCard } from "../../ui/error-card.tsx";
import { lazyChunk } from "../../ui/lazy-chunk.ts";
import { useFailure } from "../../ui/use-failure.ts";
import { useIsOnline } from "../../ui/use-is-online.ts";
import {
  SourceCutOff,
  SourceDamaged,
  SourceEnded,
  SourceMissing,
  SourceUnreadable,
} from "../../visor/core/source.ts";
import { documentTitle } from "../../visor/view/document-texts.ts";
import type { DocumentProps } from "../../visor/view/visor-props.ts";
import { Opening } from "../pdf/opening.tsx";
import { ReportPage } from "./report-page.tsx";

/** After an outage; what broke off may be large, and is read again when the person says so. */
const READ_AGAIN_MS = 15_000;
const TOLD_APART = [SourceCutOff, SourceDamaged, SourceMissing, SourceUnreadable];

const PdfPages = lazyChunk(() => import("./pdf-pages.tsx"));

/** A document that came among the images: a PDF, or the page of a structured report. */
export function DocumentPages({ document, read, onEnded }: DocumentProps) {
  const { i18n } = useLingui();
  const query = useQuery({
    queryKey: ["document pages", document.key],
    queryFn: async ({ signal }) => {
      const content = await read({ language: activeLocale(), signal });
      return content.type.startsWith("text/html") ? await content.text() : content;
    },
    gcTime: 0,
    refetchInterval: ({ state }) => (isLost(state.error) ? READ_AGAIN_MS : false),
  });
  const { data, refetch } = query;
  const error = useFailure(query);
  const end = useEffectEvent(() => onEnded?.());
  const hasEnded = error instanceof SourceEnded;
  useEffect(() => {
    if (hasEnded) end();
  }, [hasEnded]);
  if (error) return <NotRead error={error} onRetry={() => void refetch()} />;
  if (!data) return <Opening />;
  if (typeof data === "string") return <ReportPage html={data} title={documentTitle(i18n, document)} />;
  return (
    <Suspense fallback={<Opening />}>
      <PdfPages file={data} canDownload={false} />
    </Suspense>
  );
}

/** Whether the server was not reached or not ready. */
function isLost(error: Error | null): boolean {
  return error instanceof TypeError && !TOLD_APART.some((kind) => error instanceof kind);
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
  return {
    title: <Trans id="document.lost">Error loading the document</Trans>,
    text: isOnline ? (
      <Trans id="document.lost.text">It did not arrive. The stored file is intact.</Trans>
    ) : (
      <Trans id="visor.lost.offline">No connection. It resumes by itself.</Trans>
    ),
  };
}
