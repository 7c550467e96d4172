import { Trans } from "@lingui/react/macro";
import { TriangleAlertIcon } from "./icons.tsx";
import { momentText } from "./text/moment-text.ts";

interface KeptQuery {
  data: unknown;
  error: Error | null;
  dataUpdatedAt: number;
}

/**
 * Says once for several queries that read themselves again that what is shown of them is old: since when, and why. Queries without data
 * have an error card of their own.
 */
export function OldDataNotice({ queries }: { queries: readonly KeptQuery[] }) {
  const [oldest] = queries
    .filter(({ data, error }) => data !== undefined && error !== null)
    .toSorted((one, other) => one.dataUpdatedAt - other.dataUpdatedAt);
  if (!oldest) return null;
  const moment = momentText(new Date(oldest.dataUpdatedAt).toISOString());
  return (
    <div className="notice is-warn mb-5" role="status">
      <TriangleAlertIcon small />
      <span>
        <Trans id="oldData.asOf">This is as of {moment}; it could not be read again.</Trans>{" "}
        {oldest.error?.message}
      </span>
    </div>
  );
}
