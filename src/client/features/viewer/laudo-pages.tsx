import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { ErrorCard } from "../../ui/error-card.tsx";
import { useFailure } from "../../ui/hooks/use-failure.ts";
import PdfPages from "../documents/pdf-pages.tsx";
import { Opening } from "../pdf/opening.tsx";

interface LaudoPagesProps {
  /** Tells the laudo apart from others. */
  id: string;
  read(signal: AbortSignal): Promise<Blob>;
}

/** The pages of a study's laudo, beside its images. */
export default function LaudoPages({ id, read }: LaudoPagesProps) {
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
  return <PdfPages file={data} />;
}
