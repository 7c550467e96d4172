import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { isNearLimit } from "../../shared/rules/subscription.ts";
import { Skeleton } from "./skeleton.tsx";
import { countText } from "./text/count-text.ts";

interface MeterProps {
  label: string;
  used: number;
  limit: number;
  /** What is about to be added, drawn hatched; the text then names the limit instead of the rest. */
  coming?: number;
  /** Formats a number; by default it is a count. */
  textOf?: (value: number) => string;
}

/** A meter drawn as a centimetre rule: the used amount, the rest, then the rule. It warns from 80 % on. */
export function Meter({ label, used, limit, coming, textOf: ownText }: MeterProps) {
  const { i18n } = useLingui();
  const textOf = ownText ?? ((count: number) => countText(i18n, count));
  const percent = limit > 0 ? Math.min(100, Math.round((used / limit) * 100)) : 100;
  const left = Math.max(0, limit - used);
  const remaining = textOf(left);
  const after = used + (coming ?? 0);
  const text =
    coming === undefined ? `${textOf(used)} / ${textOf(limit)}` : changeText(textOf(used), textOf(after));
  const style = {
    "--meter-percent": percent,
    "--coming-percent": limit > 0 ? Math.min(100, (after / limit) * 100) : 100,
    "--meter-ticks": 10,
  };
  const state = coming === undefined ? (isNearLimit(used, limit) ? "is-warn" : "") : "is-coming";
  const most = textOf(limit);
  return (
    <div className={`meter ${state}`}>
      <div className="meter-top">
        <span>{label}</span>
        <b>{text}</b>
        <span>
          {coming === undefined ? (
            <Plural id="meter.remaining" value={left} one={`${remaining} left`} other={`${remaining} left`} />
          ) : (
            <Trans id="meter.ofLimit">of {most}</Trans>
          )}
        </span>
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: a meter element can't be drawn as a rule in every browser */}
      <div
        className="meter-rule"
        role="meter"
        aria-label={label}
        aria-valuenow={after}
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

/** A number and what it becomes. */
export function changeText(before: string, after: string): string {
  return before === after ? before : `${before} → ${after}`;
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
