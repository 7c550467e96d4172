import { Trans, useLingui } from "@lingui/react/macro";
import { Dialog as RadixDialog } from "radix-ui";
import { type ReactNode, useEffect } from "react";
import type { Payment } from "../../../shared/api/payments.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { CircleCheckIcon, CloseIcon } from "../../ui/entry-icons.tsx";
import { ErrorCard } from "../../ui/error-card.tsx";
import { useFocusReturn } from "../../ui/hooks/use-focus-return.ts";
import { Skeleton } from "../../ui/skeleton.tsx";
import { dayText } from "../../ui/text/moment-text.ts";
import { planNameText } from "../plan/plan-name.ts";
import { useMySubscription } from "../session/use-my-subscription.ts";
import { PayingPix } from "./paying-pix.tsx";
import { moneyText } from "./payment-text.ts";
import { PixOver } from "./pix-over.tsx";
import { isNotFound } from "./use-payments.ts";

const PAID_SHOWN_MS = 2_000;

interface PixDialogProps {
  /** Undefined while it is being loaded, and if loading failed. */
  payment: Payment | undefined;
  error: Error | null;
  onRetry: () => void;
  onClose: () => void;
}

/** A Pix payment from its code to its confirmation. Closing it leaves a pending payment as it is. */
export default function PixDialog({ payment, error, onRetry, onClose }: PixDialogProps) {
  const focusReturn = useFocusReturn();
  return (
    <RadixDialog.Root open onOpenChange={(open) => !open && onClose()}>
      <RadixDialog.Portal>
        <RadixDialog.Overlay className="scrim">
          <RadixDialog.Content
            className={`dialog pix ${payment?.status === "pending" ? "is-wide" : ""}`}
            {...focusReturn}
            {...(!payment && { "aria-describedby": undefined })}
          >
            {payment ? (
              <PixContent key={payment.id} payment={payment} error={error} onClose={onClose} />
            ) : (
              <NoPayment error={error} onRetry={onRetry} />
            )}
          </RadixDialog.Content>
        </RadixDialog.Overlay>
      </RadixDialog.Portal>
    </RadixDialog.Root>
  );
}

interface PixContentProps {
  payment: Payment;
  error: Error | null;
  onClose: () => void;
}

function PixContent({ payment, error, onClose }: PixContentProps) {
  const head = <PixHead payment={payment} />;
  switch (payment.status) {
    case "pending":
      return <PayingPix payment={payment} head={head} error={error} />;
    case "paid":
      return <Paid payment={payment} onClose={onClose} />;
    default:
      return <PixOver payment={payment} head={head} />;
  }
}

function PixHead({ payment }: { payment: Payment }) {
  const { i18n } = useLingui();
  const { periodDays } = payment;
  const planName = planNameText(i18n, payment.planName);
  return (
    <>
      <PixTitle>
        <Trans id="pix.title">Pay with Pix</Trans>
      </PixTitle>
      <RadixDialog.Description className="pix-plan">
        <Trans id="pix.plan">
          {planName} plan, {periodDays} days
        </Trans>
      </RadixDialog.Description>
      <p className="pix-amount">{moneyText(i18n, payment.amount)}</p>
    </>
  );
}

function PixTitle({ children }: { children: ReactNode }) {
  const { t } = useLingui();
  return (
    <div className="pix-title">
      <RadixDialog.Title className="dialog-title">{children}</RadixDialog.Title>
      <RadixDialog.Close asChild>
        <IconButton label={t({ id: "action.close", message: "Close" })}>
          <CloseIcon />
        </IconButton>
      </RadixDialog.Close>
    </div>
  );
}

/** Confirms that the money arrived, and closes the dialog, unless it has to say more than a glance takes in. */
function Paid({ payment, onClose }: Omit<PixContentProps, "error">) {
  const isSuperseded = isEmptyPeriod(payment);
  useEffect(() => {
    if (isSuperseded) return;
    const timer = setTimeout(onClose, PAID_SHOWN_MS);
    return () => clearTimeout(timer);
  }, [onClose, isSuperseded]);
  return (
    <div className="pix-paid">
      <CircleCheckIcon />
      <div role="status">
        <RadixDialog.Title className="dialog-title">
          <Trans id="pix.paid">Payment confirmed</Trans>
        </RadixDialog.Title>
        <RadixDialog.Description className="dialog-text">
          <Bought payment={payment} isSuperseded={isSuperseded} />
        </RadixDialog.Description>
      </div>
      {isSuperseded && (
        <Button onClick={onClose}>
          <Trans id="action.close">Close</Trans>
        </Button>
      )}
    </div>
  );
}

/** Whether a payment became known after a later one of another plan, which goes on. */
function isEmptyPeriod({ periodStart, periodEnd }: Payment): boolean {
  return periodStart !== null && periodStart === periodEnd;
}

/** What the money bought, as the mail about it says. */
function Bought({ payment, isSuperseded }: { payment: Payment; isSuperseded: boolean }) {
  const { i18n } = useLingui();
  const { data: subscription } = useMySubscription({ enabled: true });
  const { planId, periodEnd } = payment;
  const planName = planNameText(i18n, payment.planName);
  if (isSuperseded)
    return (
      <Trans id="pix.paidSuperseded">
        You paid for another plan after it, so that one goes on and the {planName} plan did not begin. If you
        wanted something else, write to us through the support form.
      </Trans>
    );
  if (subscription?.plan.id === planId && subscription.status === "active" && subscription.expiresAt === null)
    return <Trans id="pix.paidEndless">Your {planName} plan is active and has no end.</Trans>;
  const day = periodEnd && dayText(periodEnd);
  if (!day) return <Trans id="pix.paidPlan">Your {planName} plan is active.</Trans>;
  return (
    <Trans id="pix.paidUntil">
      Your {planName} plan is active until {day}.
    </Trans>
  );
}

function NoPayment({ error, onRetry }: { error: Error | null; onRetry: () => void }) {
  return (
    <div className="pix-body">
      <PixTitle>
        <Trans id="pix.title">Pay with Pix</Trans>
      </PixTitle>
      {!error ? (
        <div aria-busy="true" className="mt-4 grid gap-4">
          <Skeleton className="h-4 w-40" />
          <Skeleton shape="control" />
          <Skeleton shape="control" className="h-40" />
        </div>
      ) : (
        <div className="mt-4 grid gap-4">
          {isNotFound(error) ? (
            <ErrorCard title={<Trans id="pix.notFound">Payment not found</Trans>}>
              <Trans id="pix.notFound.text">It may belong to another account. See your payments.</Trans>
            </ErrorCard>
          ) : (
            <>
              <ErrorCard title={<Trans id="pix.loadFailed">The payment could not be loaded</Trans>}>
                {error.message}
              </ErrorCard>
              <Button onClick={onRetry}>
                <Trans id="action.retry">Try again</Trans>
              </Button>
            </>
          )}
        </div>
      )}
    </div>
  );
}
