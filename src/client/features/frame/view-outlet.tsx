import { Trans } from "@lingui/react/macro";
import { useAtomValue } from "jotai";
import { type ComponentType, useEffect, useRef } from "react";
import { ReloadCard } from "../../ui/boundary.tsx";
import { ChunkPlace } from "../../ui/chunk-place.tsx";
import { useKeptFocus } from "../../ui/hooks/use-kept-focus.ts";
import { lazyChunk } from "../../ui/lazy-chunk.ts";
import { Skeleton } from "../../ui/skeleton.tsx";
import { type ViewName, viewAtom } from "../places/views.ts";
import { WelcomeView } from "./welcome-view.tsx";

/** Every view except the first has a chunk of its own. */
const views: Record<ViewName, ComponentType> = {
  welcome: WelcomeView,
  uploadExames: lazyChunk(() => import("../upload/upload-view.tsx")),
  listaExames: lazyChunk(() => import("../study-list/study-list-view.tsx")),
  receber: lazyChunk(() => import("../requests/requests-view.tsx")),
  laudo: lazyChunk(() => import("../reports/report-view.tsx")),
  viewer: lazyChunk(() => import("../viewer/viewer-view.tsx")),
  examesLab: lazyChunk(() => import("../labs/labs-view.tsx")),
  profile: lazyChunk(() => import("../profile/profile-view.tsx")),
  users: lazyChunk(() => import("../users/users-view.tsx")),
  subscription: lazyChunk(() => import("./subscription-view.tsx")),
  paymentHistory: lazyChunk(() => import("../payments/payment-history-view.tsx")),
  integrity: lazyChunk(() => import("../integrity/integrity-view.tsx")),
  help: lazyChunk(() => import("../help/help-view.tsx")),
  support: lazyChunk(() => import("../support/support-view.tsx")),
};

/** The main area, with the chosen view. A new view begins at its top, for eyes and for screen readers. */
export function ViewOutlet() {
  const view = useAtomValue(viewAtom);
  const main = useRef<HTMLElement>(null);
  const shown = useRef(view);
  const focus = useKeptFocus(main);
  const View = views[view];

  useEffect(() => {
    if (shown.current === view) return;
    shown.current = view;
    window.scrollTo(0, 0);
    main.current?.focus({ preventScroll: true });
  }, [view]);

  return (
    <main className="view" id="view" data-view={view} ref={main} {...focus}>
      <ChunkPlace key={view} shape={<ViewSkeleton />} failure={<ViewFailure />}>
        <View />
      </ChunkPlace>
    </main>
  );
}

function ViewSkeleton() {
  return (
    <div aria-busy="true" className="grid gap-5">
      <Skeleton className="h-8 w-56" />
      <Skeleton shape="control" className="h-40" />
    </div>
  );
}

function ViewFailure() {
  return (
    <ReloadCard title={<Trans id="view.failed.title">This view could not be shown</Trans>}>
      <Trans id="view.failed.text">Your exams are safe. Reload the page or continue in another view.</Trans>
    </ReloadCard>
  );
}
