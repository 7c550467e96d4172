import { Trans } from "@lingui/react/macro";
import { useAtomValue } from "jotai";
import { Component, type ReactNode, Suspense, useEffect, useLayoutEffect, useRef } from "react";
import { ErrorCard } from "../../ui/error-card.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { type ViewName, viewAtom, views } from "./views.ts";

/** Views that are found again as they were left. */
const KEEPING_PLACE: readonly ViewName[] = ["listaExames"];

/**
 * The main area: the view that is chosen. A change begins at its top, for eyes and for screen readers; a list is
 * left for one of its entries and found again where it was.
 */
export function ViewOutlet() {
  const view = useAtomValue(viewAtom);
  const main = useRef<HTMLElement>(null);
  const shown = useRef(view);
  const places = useRef(new Map<ViewName, number>());
  const View = views[view];

  useEffect(() => {
    if (shown.current === view) return;
    shown.current = view;
    window.scrollTo(0, (KEEPING_PLACE.includes(view) && places.current.get(view)) || 0);
    main.current?.focus({ preventScroll: true });
  }, [view]);

  return (
    <main className="view" id="view" data-view={view} ref={main} tabIndex={-1}>
      <ViewBoundary key={view}>
        <Leaving onLeave={() => places.current.set(view, window.scrollY)} />
        <Suspense fallback={<ViewSkeleton />}>
          <View />
        </Suspense>
      </ViewBoundary>
    </main>
  );
}

/** Tells that the view beside it goes, while the page still has its height. */
function Leaving({ onLeave }: { onLeave: () => void }) {
  const latest = useRef(onLeave);
  useLayoutEffect(() => () => latest.current(), []);
  return null;
}

function ViewSkeleton() {
  return (
    <div aria-busy="true" className="grid gap-5">
      <Skeleton className="h-8 w-56" />
      <Skeleton shape="control" className="h-40" />
    </div>
  );
}

class ViewBoundary extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override render() {
    if (!this.state.failed) return this.props.children;
    return (
      <ErrorCard
        title={<Trans id="view.failed.title">This view could not be shown</Trans>}
        action={{
          label: <Trans id="action.reload">Reload the page</Trans>,
          run: () => window.location.reload(),
        }}
      >
        <Trans id="view.failed.text">Your exams are safe. Reload the page or continue in another view.</Trans>
      </ErrorCard>
    );
  }
}
