import { Trans } from "@lingui/react/macro";
import { QueryClientProvider } from "@tanstack/react-query";
import { getDefaultStore } from "jotai";
import { useEffect, useState } from "react";
import type { IslandProps } from "../../../shared/islands.ts";
import { createQueryClient } from "../../calls/query-client.ts";
import { viewerChoiceAtom } from "../../preferences.ts";
import { ErrorCard } from "../../ui/error-card.tsx";
import { useStepFocus } from "../../ui/hooks/use-step-focus.ts";
import { Toaster } from "../../ui/toast.tsx";
import { savesData, whenIdle } from "../../ui/when-idle.ts";
import { loadVisor } from "../viewer/lazy-visor.tsx";
import { Closed, PasscodeGate } from "./gate.tsx";
import { Opening } from "./opening.tsx";
import { PublicPage } from "./public-page.tsx";
import { beginVisitOfPage, useVisit } from "./use-visit.ts";
import { VisitedExams } from "./visited-exams.tsx";

beginVisitOfPage();

/** Starts our own viewer while the visitor types the passcode. Without a passcode, the page itself needs a slow phone first. */
function beginVisor(): void {
  if (savesData() || getDefaultStore().get(viewerChoiceAtom) === "ohif") return;
  loadVisor()
    .then(({ warmDecoder }) => warmDecoder())
    .catch(() => undefined);
}

/** The page of a link, for people without an account: the passcode if it has one, then the exams. */
export default function VisitScreen({ productName, link, viewerOrigin }: IslandProps<"visit">) {
  const [queryClient] = useState(createQueryClient);
  const { state, retry, enter, close } = useVisit(link);
  const page = useStepFocus(state.step);
  const isGate = state.step === "passcode";
  useEffect(() => (isGate ? whenIdle(beginVisor) : undefined), [isGate]);
  return (
    <QueryClientProvider client={queryClient}>
      <PublicPage productName={productName}>
        <div className="visit-page" ref={page} tabIndex={-1}>
          {state.step === "opening" && <Opening />}
          {state.step === "passcode" && <PasscodeGate {...state} onEnter={enter} />}
          {state.step === "closed" && <Closed />}
          {state.step === "failed" && (
            <ErrorCard
              title={<Trans id="visit.failed">The exams could not be opened</Trans>}
              action={{ label: <Trans id="action.retry">Try again</Trans>, run: retry }}
            >
              {state.message}
            </ErrorCard>
          )}
          {state.step === "open" && (
            <VisitedExams visit={state.visit} viewerOrigin={viewerOrigin ?? ""} onClosed={close} />
          )}
        </div>
      </PublicPage>
      <Toaster />
    </QueryClientProvider>
  );
}
