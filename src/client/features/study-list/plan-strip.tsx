import { Trans, useLingui } from "@lingui/react/macro";
import type { UsageStats } from "../../../shared/api/subscriptions.ts";
import { isNearLimit, nextResetAt } from "../../../shared/rules/subscription.ts";
import { serverNow } from "../../calls/server-clock.ts";
import { PHONE, useMediaQuery } from "../../ui/hooks/use-media-query.ts";
import { TriangleAlertIcon } from "../../ui/icons.tsx";
import { MeterSkeleton } from "../../ui/meter.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { countText } from "../../ui/text/count-text.ts";
import { limitText } from "../../ui/text/limit-text.ts";
import { dayText } from "../../ui/text/moment-text.ts";
import { PlanMeters } from "../plan/plan-meters.tsx";
import { planNameText } from "../plan/plan-name.ts";
import { SeePlans } from "../plan/subscription-link.tsx";
import { useUsageStats } from "../plan/use-subscription.ts";
import { maySubscribe, useHis } from "../session/his-context.ts";
import { useMySubscription } from "../session/use-my-subscription.ts";

/** The person's plan and what is left of it. Admins need no plan and see none. */
export function PlanStrip() {
  const { i18n, t } = useLingui();
  const { user } = useHis();
  const subscription = useMySubscription({ enabled: user.role !== "admin" });
  // Doctors and labs view what others share with them, mostly without a plan, so no placeholder is shown.
  const isExpected = user.role === "user";
  const isPhone = useMediaQuery(PHONE);
  const isShown = isExpected || Boolean(subscription.data);
  const usage = useUsageStats({ enabled: isShown });
  if (!isShown) return null;
  if (usage.isPending || subscription.isPending) return isExpected && <PlanStripSkeleton isLine={isPhone} />;
  // Without figures the strip is empty; the list itself shows the error.
  if (!usage.data) return null;
  const { currentExamCount, examLimit, totalActionsThisMonth, actionLimit } = usage.data;
  const planName = planNameText(i18n, usage.data.planName);
  const [examsKept, examsMost] = [currentExamCount, examLimit].map((count) => countText(i18n, count));
  const [actions, actionsMost] = [totalActionsThisMonth, actionLimit].map((count) => countText(i18n, count));
  if (isPhone && !isAnyNear(usage.data)) {
    return (
      <section
        className="panel plan-line"
        aria-label={t({ id: "planStrip.label", message: "Subscription status" })}
      >
        <b>
          <Trans id="planStrip.plan">{planName} plan</Trans>
        </b>
        <span>
          <Trans id="planStrip.line">
            {examsKept} of {examsMost} exams · {actions} of {actionsMost} actions
          </Trans>
        </span>
      </section>
    );
  }
  return (
    <section
      className="panel plan-strip"
      aria-label={t({ id: "planStrip.label", message: "Subscription status" })}
    >
      <div className="plan-strip-name">
        <b>
          <Trans id="planStrip.plan">{planName} plan</Trans>
        </b>
        <span>
          <ActiveUntil expiresAt={subscription.data?.expiresAt} />
        </span>
      </div>
      <PlanMeters usage={usage.data} />
      <LimitWarning usage={usage.data} />
    </section>
  );
}

/** Null if it never ends; undefined if unknown. */
function ActiveUntil({ expiresAt }: { expiresAt: string | null | undefined }) {
  if (expiresAt === undefined) return null;
  if (expiresAt === null) return <Trans id="planStrip.noEnd">Active, with no end date</Trans>;
  const end = new Date(expiresAt);
  const day = dayText(end);
  return end.getTime() > serverNow() ? (
    <Trans id="planStrip.until">Active until {day}</Trans>
  ) : (
    <Trans id="planStrip.ended">Ended on {day}</Trans>
  );
}

function isAnyNear(usage: UsageStats): boolean {
  return (
    isNearLimit(usage.totalActionsThisMonth, usage.actionLimit) ||
    isNearLimit(usage.currentExamCount, usage.examLimit) ||
    isNearLimit(usage.storageUsedBytes, usage.storageBytes)
  );
}

/** From 80 % of a limit on, names the limit that is nearly reached and links to the plans. */
function LimitWarning({ usage }: { usage: UsageStats }) {
  const { i18n } = useLingui();
  const { user } = useHis();
  const { currentExamCount, examLimit, totalActionsThisMonth, actionLimit } = usage;
  const [examsKept, examsMost] = [currentExamCount, examLimit].map((count) => countText(i18n, count));
  const isActionsNear = isNearLimit(totalActionsThisMonth, actionLimit);
  const isExamsNear = isNearLimit(currentExamCount, examLimit);
  if (!isAnyNear(usage)) return null;
  return (
    <div className="plan-strip-warning">
      <TriangleAlertIcon small />
      {isActionsNear ? (
        <ActionsNear usage={usage} />
      ) : !isExamsNear ? (
        <StorageNear usage={usage} />
      ) : (
        <p>
          <Trans id="planStrip.examsNear">
            You keep {examsKept} of the {examsMost} exams of your plan.
          </Trans>
        </p>
      )}
      {maySubscribe(user) && <SeePlans />}
    </div>
  );
}

function StorageNear({ usage }: { usage: UsageStats }) {
  const { i18n } = useLingui();
  const used = limitText(i18n, usage.storageUsedBytes);
  const limit = limitText(i18n, usage.storageBytes);
  return (
    <p>
      <Trans id="planStrip.storageNear">
        You use {used} of the {limit} of your plan. Beyond that, no exam can be uploaded.
      </Trans>
    </p>
  );
}

function ActionsNear({ usage }: { usage: UsageStats }) {
  const percent = usage.actionUsagePercentage;
  const day = dayText(nextResetAt(new Date(usage.lastResetDate)));
  return (
    <p>
      <Trans id="planStrip.warning">
        You have used {percent}% of this month's actions. The count starts again on {day}.
      </Trans>
    </p>
  );
}

function PlanStripSkeleton({ isLine }: { isLine: boolean }) {
  if (isLine) {
    return (
      <div className="panel plan-line" aria-busy="true">
        <Skeleton className="w-28" />
        <Skeleton className="w-36" />
      </div>
    );
  }
  return (
    <div className="panel plan-strip" aria-busy="true">
      <div className="plan-strip-name">
        <Skeleton className="my-1.5 h-3 w-28" />
        <Skeleton className="my-1 h-3 w-36" />
      </div>
      <MeterSkeleton />
      <MeterSkeleton />
      <MeterSkeleton />
    </div>
  );
}
