import { Trans } from "@lingui/react/macro";
import { type ReactNode, useId } from "react";
import type { Icon } from "../../ui/icon.tsx";
import { LoadError } from "../../ui/load-error.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";

interface HomePanelProps<Data> {
  title: ReactNode;
  /** How much in it waits for a person. */
  count?: number;
  /** Leads to the view that has the whole of it. */
  link?: ReactNode;
  query: { data: Data | undefined; error: Error | null; refetch: () => unknown };
  children: (data: Data) => ReactNode;
}

/** A panel of the admin's home page. One that could not be loaded offers another try; the others stay. */
export function HomePanel<Data>({ title, count, link, query, children }: HomePanelProps<Data>) {
  const id = useId();
  const { data, error, refetch } = query;
  return (
    <section aria-labelledby={id} aria-busy={data === undefined && !error}>
      <div className="home-panel-head">
        <h2 id={id}>
          {title}{" "}
          {count !== undefined && <span className={`home-count ${count > 0 ? "is-open" : ""}`}>{count}</span>}
        </h2>
        {link}
      </div>
      {data !== undefined && <div className="panel home-panel">{children(data)}</div>}
      {data === undefined && error && (
        <LoadError
          title={<Trans id="home.failed">This could not be loaded</Trans>}
          error={error}
          onRetry={() => refetch()}
        />
      )}
      {data === undefined && !error && (
        <div className="panel home-panel home-waiting">
          <Skeleton className="w-48" />
          <Skeleton className="w-24" />
        </div>
      )}
    </section>
  );
}

interface HomeRowProps {
  icon: Icon;
  tone: "ok" | "bad";
  title: ReactNode;
  children?: ReactNode;
  actions?: ReactNode;
}

export function HomeRow({ icon: RowIcon, tone, title, children, actions }: HomeRowProps) {
  return (
    <div className="home-row">
      <span className={`home-icon is-${tone}`} aria-hidden="true">
        <RowIcon small />
      </span>
      <div className="home-row-text">
        <b>{title}</b>
        {children && <span>{children}</span>}
      </div>
      {actions && <div className="home-row-actions">{actions}</div>}
    </div>
  );
}
