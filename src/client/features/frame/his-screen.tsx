import { Trans } from "@lingui/react/macro";
import { QueryClientProvider } from "@tanstack/react-query";
import { useAtom, useAtomValue, useSetAtom } from "jotai";
import { useHydrateAtoms } from "jotai/utils";
import { memo, Suspense, useDeferredValue, useEffect, useMemo, useState } from "react";
import { Router } from "wouter";
import type { IslandProps } from "../../../shared/islands.ts";
import { createQueryClient } from "../../calls/query-client.ts";
import { outlivesPage } from "../../session.ts";
import { PHONE, useMediaQuery } from "../../ui/hooks/use-media-query.ts";
import { lazyChunk } from "../../ui/lazy-chunk.ts";
import { LoadError } from "../../ui/load-error.tsx";
import { Toaster } from "../../ui/toast.tsx";
import { useHomeAhead } from "../home/use-home-ahead.ts";
import { pickToKeepAtom } from "../local-view/kept-pick.ts";
import { PaymentWatch } from "../payments/payment-watch.tsx";
import { useHisLocation } from "../places/his-location.ts";
import { firstPlaceAtom, viewAtom } from "../places/views.ts";
import { sampleOpenAtom } from "../sample/sample-state.ts";
import { type His, HisProvider } from "../session/his-context.ts";
import { dropKeptLink, returnToLink } from "../session/kept-link.ts";
import { useCurrentUser } from "../session/use-current-user.ts";
import { useIsActive } from "../session/use-is-active.ts";
import { SubscriptionBanner } from "../subscriptions/subscription-banner.tsx";
import { useNeedsTray } from "../upload/tray/use-needs-tray.ts";
import { PhoneBar, PhoneTabs } from "./phone-menu.tsx";
import { SideMenu } from "./side-menu.tsx";
import { signOutAskedAtom } from "./sign-out-asked.ts";
import { SignedOutOffline } from "./signed-out-offline.tsx";
import { useKeptShell } from "./use-kept-shell.ts";
import { openingPath, useLeaveWithoutSession } from "./use-leave-without-session.ts";
import { usePlaceOfHistory } from "./use-place-of-history.ts";
import { ViewOutlet } from "./view-outlet.tsx";
import { ViewTitle } from "./view-title.tsx";

const TermsDialog = lazyChunk(() => import("../terms/terms-dialog.tsx"));
const SampleOverlay = lazyChunk(() => import("../sample/sample-overlay.tsx"));
const UploadTray = lazyChunk(() => import("../upload/tray/upload-tray.tsx"));
const SignOutDialog = lazyChunk(() => import("./sign-out-dialog.tsx"));

/** Everything behind the login: the frame once the user is known, else the way back to the entry page. */
export default function HisScreen(props: IslandProps<"his">) {
  const [queryClient] = useState(createQueryClient);
  const [firstPath] = useState(openingPath);
  useHydrateAtoms([[firstPlaceAtom, firstPath]]);
  return (
    <QueryClientProvider client={queryClient}>
      <Router hook={useHisLocation}>
        <SignedIn {...props} />
      </Router>
      <Toaster />
    </QueryClientProvider>
  );
}

function SignedIn(props: IslandProps<"his">) {
  const { user, error, retry } = useCurrentUser();
  // The frame's first drawing is put off, and so done in slices: a phone answers its fingers meanwhile.
  const isDrawn = useDeferredValue(user !== undefined);
  const isActive = useIsActive(user);
  const his = useMemo(() => user && { ...props, user, isActive }, [props, user, isActive]);
  useHomeAhead(isActive && user?.role === "user");
  const isHeldHere = useLeaveWithoutSession(user?.id);
  if (isHeldHere) return <SignedOutOffline {...props} />;
  if (his && isDrawn) return <Frame his={his} />;
  if (!error) return <p className="his-loading">Loading...</p>;
  return (
    <main className="p-6">
      <LoadError
        title={<Trans id="his.userFailed.title">Your account could not be loaded</Trans>}
        error={error}
        onRetry={retry}
      />
    </main>
  );
}

/** Files that the person viewed before they signed in wait in the view that sends them. */
function useGoToKeep(): void {
  const isKeeping = useAtomValue(pickToKeepAtom) !== undefined;
  const setView = useSetAtom(viewAtom);
  useEffect(() => {
    if (isKeeping) setView("uploadExames");
  }, [isKeeping, setView]);
}

/** Whoever left the page of a link to sign in is led back there, but not before they have accepted the terms. */
function useBackToLink(hasTerms: boolean): void {
  const isKeeping = useAtomValue(pickToKeepAtom) !== undefined;
  useEffect(() => {
    // Files that are to be kept are in this page alone.
    if (isKeeping) dropKeptLink();
    // Where the browser keeps nothing, the session would not be there.
    else if (hasTerms && outlivesPage()) returnToLink();
  }, [isKeeping, hasTerms]);
}

/** Draws nothing anew unless the person changed: its first drawing takes a slow phone a tenth of a second. */
const Frame = memo(function Frame({ his }: { his: His }) {
  usePlaceOfHistory();
  useKeptShell();
  useGoToKeep();
  useBackToLink(his.user.termsAcceptedAt !== null);
  const isPhone = useMediaQuery(PHONE);
  const asksToSignOut = useAtomValue(signOutAskedAtom);
  const [isSampleOpen, setSampleOpen] = useAtom(sampleOpenAtom);
  return (
    <HisProvider value={his}>
      <div className="his">
        <ViewTitle />
        {isPhone ? <PhoneBar /> : <SideMenu />}
        <div className="his-main">
          <SubscriptionBanner />
          <ViewOutlet />
          <footer className="his-foot">© 2025 {his.productName}</footer>
        </div>
        {isPhone && <PhoneTabs />}
        <Uploads />
      </div>
      {his.user.role !== "admin" && <PaymentWatch />}
      {isSampleOpen && (
        <Suspense>
          <SampleOverlay onClose={() => setSampleOpen(false)} />
        </Suspense>
      )}
      {asksToSignOut && (
        <Suspense>
          <SignOutDialog />
        </Suspense>
      )}
      {his.user.termsAcceptedAt === null && (
        <Suspense>
          <TermsDialog />
        </Suspense>
      )}
    </HisProvider>
  );
});

function Uploads() {
  return (
    useNeedsTray() && (
      <Suspense>
        <UploadTray />
      </Suspense>
    )
  );
}
