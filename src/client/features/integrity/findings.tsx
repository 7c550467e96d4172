import { Trans } from "@lingui/react/macro";
import { useState } from "react";
import { useExistingPage } from "../../ui/hooks/use-existing-page.ts";
import { usePageRead } from "../../ui/hooks/use-page-read.ts";
import { ShieldCheckIcon } from "../../ui/icons.tsx";
import { LoadError } from "../../ui/load-error.tsx";
import { Pager } from "../../ui/pager.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { FindingRow } from "./finding-row.tsx";
import type { FindingState } from "./integrity-api.ts";
import { FINDINGS_PER_PAGE, useFindings } from "./use-integrity.ts";

const SKELETON_ROWS = [1, 2, 3];

/** A page of open or settled findings. */
export function Findings({ state }: { state: FindingState }) {
  const [page, setPage] = useState(0);
  const query = useFindings(state, page);
  const { data, error, isReading } = usePageRead(query);
  const total = isReading ? undefined : data?.total;
  useExistingPage({ page, perPage: FINDINGS_PER_PAGE, total, onPage: setPage });
  if (error && !data) {
    return (
      <LoadError
        title={<Trans id="integrity.findingsFailed">The findings could not be loaded</Trans>}
        error={error}
        onRetry={query.refetch}
      />
    );
  }
  if (data?.total === 0 && !isReading) return <NoFindings state={state} />;
  const before = page * FINDINGS_PER_PAGE;
  return (
    <section className="panel">
      <ul
        className={`integrity-rows ${isReading ? "is-reading" : ""}`}
        aria-busy={data === undefined || isReading}
      >
        {data
          ? data.findings.map((finding) => <FindingRow key={finding.id} finding={finding} />)
          : SKELETON_ROWS.map((row) => (
              <li key={row}>
                <Skeleton className="w-48" />
                <Skeleton className="w-24" />
              </li>
            ))}
      </ul>
      {data && data.total > FINDINGS_PER_PAGE && (
        <Pager
          before={before}
          shown={data.findings.length}
          total={data.total}
          isReading={isReading}
          onStep={(pages) => setPage(Math.max(0, page + pages))}
        />
      )}
    </section>
  );
}

function NoFindings({ state }: { state: FindingState }) {
  if (state === "closed") {
    return (
      <p className="panel none-found">
        <Trans id="integrity.noneClosed">Nothing was ever found, or it is longer ago than two years.</Trans>
      </p>
    );
  }
  return (
    <section className="panel integrity-none">
      <ShieldCheckIcon />
      <h2>
        <Trans id="integrity.none.title">Every file is as it was stored</Trans>
      </h2>
      <p>
        <Trans id="integrity.none.text">
          A file whose bytes change or go missing appears here, with what can be done about it.
        </Trans>
      </p>
    </section>
  );
}
