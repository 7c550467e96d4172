import { Trans } from "@lingui/react/macro";
import type { CSSProperties } from "react";
import { isNearLimit } from "../../shared/rules/subscription.ts";
import { Skeleton } from "./skeleton.tsx";

interface MeterProps {
  label: string;
  used: number;
  limit: number;
  /** Formats a number; by default it is shown as it is. */
  textOf?: (value: number) => string;
}

/** A meter drawn as a centimetre rule: the used amount, the rest, then the rule. It warns from 80 % on. */
export function Meter({ label, used, limit, textOf = String }: MeterProps) {
  const percent = limit > 0 ? Math.min(100, Math.round((used / limit) * 100)) : 100;
  const remaining = textOf(Math.max(0, limit - used));
  const text = `${textOf(used)} / ${textOf(limit)}`;
  const style = { "--meter-percent": percent, "--meter-ticks": 10 } as CSSProperties;
  return (
    <div className={`meter ${isNearLimit(used, limit) ? "is-warn" : ""}`}>
      <div className="meter-top">
        <span>{label}</span>
        <b>{text}</b>
        <span>
          <Trans id="meter.remaining">{remaining} left</Trans>
        </span>
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: a meter element can't be drawn as a rule in every browser */}
      <div
        className="meter-rule"
        role="meter"
        aria-label={label}
        aria-valuenow={used}
        aria-valuemin={0}
        aria-valuemax={limit}
        aria-valuetext={text}
        style={style}
      >
        <i />
      </div>
    </div>
  );
}

export function MeterSkeleton() {
  return (
    <div className="meter">
      <div className="meter-top">
        <Skeleton className="my-1 w-24" />
        <Skeleton className="my-1 w-14" />
      </div>
      <div className="meter-rule" />
    </div>
  );
}
