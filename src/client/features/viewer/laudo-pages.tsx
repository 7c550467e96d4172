import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ErrorCard } from "../../ui/error-card.tsx";
import { useFailure } from "../../ui/use-failure.ts";
import type { Zoom } from "../pdf/page-layout.ts";
import { Opening, PdfStage } from "../pdf/pdf-stage.tsx";

const NOTHING = { words: "", current: undefined };

interface LaudoPagesProps {
  /** Tells the laudo apart from others. */
  id: string;
  read(signal: AbortSignal): Promise<Blob>;
}

/** The pages of a study's laudo, beside its images. */
export default function LaudoPages({ id, read }: LaudoPagesProps) {
  const [zoom, setZoom] = useState<Zoom>("auto");
  const query = useQuery({
    queryKey: ["laudo pages", id],
    queryFn: ({ signal }) => read(signal),
    gcTime: 0,
  });
  const { data, refetch } = query;
  const error = useFailure(query);
  if (error) {
    return (
      <ErrorCard
        title={<Trans id="report.loadFailed">Error loading report</Trans>}
        action={{ label: <Trans id="action.retry">Try again</Trans>, run: () => void refetch() }}
      >
        {error.message}
      </ErrorCard>
    );
  }
  if (!data) return <Opening />;
  return (
    <div className="viewer-laudo">
      <PdfStage
        file={data}
        zoom={zoom}
        onZoom={setZoom}
        wanted={NOTHING}
        onOpen={() => undefined}
        onPlace={() => undefined}
      />
    </div>
  );
}
