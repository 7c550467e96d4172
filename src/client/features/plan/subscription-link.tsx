import { Trans } from "@lingui/react/macro";
import { useSetAtom } from "jotai";
import type { MouseEvent, ReactNode } from "react";
import { SUBSCRIPTION_PATH } from "../places/his-location.ts";
import { viewAtom } from "../places/views.ts";

interface SubscriptionLinkProps {
  className?: string;
  children: ReactNode;
}

/** Opens the subscription in place; a click with a modifier key opens it like any link. */
export function SubscriptionLink({ className, children }: SubscriptionLinkProps) {
  const setView = useSetAtom(viewAtom);
  const open = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    setView("subscription");
  };
  return (
    <a className={className} href={SUBSCRIPTION_PATH} onClick={open}>
      {children}
    </a>
  );
}

/** Links to the plans, for people near a limit of theirs. */
export function SeePlans() {
  return (
    <SubscriptionLink className="see-plans">
      <Trans id="subscription.seePlans">See plans</Trans>
    </SubscriptionLink>
  );
}
