import { Trans } from "@lingui/react/macro";
import { type ReactNode, useEffect, useId, useRef } from "react";
import { isOffline } from "../../calls/query-client.ts";
import { type FailedQuery, useFailure } from "../../ui/hooks/use-failure.ts";
import type { Icon } from "../../ui/icon.tsx";
import { LoadError } from "../../ui/load-error.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { WholeDates } from "../../ui/text/whole-dates.tsx";
import { useUnreached } from "./unreached.ts";

interface HomeQuery<Data> extends FailedQuery {
  data: Data | undefined;
  refetch: () => unknown;
}

interface HomeSectionProps<Data> {
  title: ReactNode;
  /** How much in it waits for a person. */
  count?: number | undefined;
  /** Leads to the view that has the whole of it. */
  link?: ReactNode;
  query: HomeQuery<Data>;
  /** Stands in the place of what is being loaded, in its shape. */
  place?: ReactNode;
  children: (data: Data) => ReactNode;
}

/**
 * A part of the home view. One that could not be loaded offers another try; the others stay. Without a connection none can be, and
 * one message stands for all.
 */
export function HomeSection<Data>({ title, count, link, query, place, children }: HomeSectionProps<Data>) {
  const id = useId();
  const { data } = query;
  const failure = useFailure(query);
  const [heading, retry] = useRetry(query);
  const isUnreached = data === undefined && isOffline(failure ?? null);
  useUnreached(isUnreached, () => void query.refetch());
  if (isUnreached) return null;
  return (
    <section aria-labelledby={id} aria-busy={data === undefined && !failure}>
      <div className="home-head-row">
        <h2 ref={heading} id={id} className="home-title" tabIndex={-1}>
          {title}{" "}
          {count !== undefined && <span className={`home-count ${count > 0 ? "is-open" : ""}`}>{count}</span>}
        </h2>
        {link}
      </div>
      {data !== undefined && children(data)}
      {data === undefined && failure && (
        <LoadError
          title={<Trans id="home.failed">We could not load this part</Trans>}
          error={failure}
          onRetry={retry}
        />
      )}
      {data === undefined && !failure && (place ?? <PanelPlace />)}
    </section>
  );
}

/** Reads again. Once the data are there, the retry button goes, and the heading above them takes the focus. */
function useRetry({ data, refetch }: HomeQuery<unknown>) {
  const heading = useRef<HTMLHeadingElement>(null);
  const isAsked = useRef(false);
  useEffect(() => {
    if (data === undefined || !isAsked.current) return;
    isAsked.current = false;
    const { activeElement } = document;
    // The view has taken it from the button.
    if (activeElement === document.body || activeElement?.id === "view") heading.current?.focus();
  }, [data]);
  const retry = () => {
    isAsked.current = true;
    refetch();
  };
  return [heading, retry] as const;
}

/** {@link HomeSection} in a frame. */
export function HomePanel<Data>({ children, ...section }: HomeSectionProps<Data>) {
  return (
    <HomeSection {...section}>
      {(data) => <div className="panel home-panel">{children(data)}</div>}
    </HomeSection>
  );
}

function PanelPlace() {
  return (
    <div className="panel home-panel home-waiting">
      <Skeleton className="w-48" />
      <Skeleton className="w-24" />
    </div>
  );
}

interface HomeRowProps {
  /** A {@link HomeIcon} or a film. */
  lead: ReactNode;
  title: ReactNode;
  children?: ReactNode;
  actions?: ReactNode;
}

export function HomeRow({ lead, title, children, actions }: HomeRowProps) {
  return (
    <div className="home-row">
      {lead}
      <div className="home-row-text">
        <b>{title}</b>
        {children && (
          <span>
            <WholeDates>{children}</WholeDates>
          </span>
        )}
      </div>
      {actions && <div className="home-row-actions">{actions}</div>}
    </div>
  );
}

export function HomeIcon({ icon: RowIcon, tone }: { icon: Icon; tone: "ok" | "warn" | "bad" | "accent" }) {
  return (
    <span className={`home-icon is-${tone}`} aria-hidden="true">
      <RowIcon small />
    </span>
  );
}
