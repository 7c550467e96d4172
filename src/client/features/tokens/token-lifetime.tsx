import { Trans } from "@lingui/react/macro";
import type { ReactNode } from "react";
import { Choice } from "../../ui/choice.tsx";

const LIFETIMES = [30, 90, 365] as const;
/** In days. */
export type Lifetime = (typeof LIFETIMES)[number];
export const USUAL_LIFETIME: Lifetime = 90;

interface LifetimeChoiceProps {
  days: Lifetime;
  onDays: (days: Lifetime) => void;
}

export function LifetimeChoice({ days, onDays }: LifetimeChoiceProps) {
  const names: Record<Lifetime, ReactNode> = {
    30: <Trans id="tokens.days.30">30 days</Trans>,
    90: <Trans id="tokens.days.90">90 days</Trans>,
    365: <Trans id="tokens.days.365">1 year</Trans>,
  };
  return (
    <Choice
      legend={<Trans id="tokens.lifetime">Valid for</Trans>}
      options={LIFETIMES.map((value) => ({ value, text: names[value] }))}
      value={days}
      onValueChange={onDays}
    />
  );
}
