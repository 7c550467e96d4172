import { Trans, useLingui } from "@lingui/react/macro";
import type { OfferedPlan, Subscription } from "../../../shared/api/subscriptions.ts";
import { serverNow } from "../../calls/server-clock.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { CircleAlertIcon } from "../../ui/entry-icons.tsx";
import { dayText } from "../../ui/text/moment-text.ts";
import { moneyText } from "../payments/payment-text.ts";
import { useCreatePayment } from "../payments/use-payments.ts";
import { planNameText } from "../plan/plan-name.ts";
import { effectOfPurchase, type PurchaseEffect } from "./bought.ts";

interface SubscribeDialogProps {
  /** The plan to pay for; the dialog is closed while this is undefined. */
  plan: OfferedPlan | undefined;
  subscription: Subscription | null;
  onClose: () => void;
}

/** States a plan's price and its effect on the present one before the Pix is created. */
export function SubscribeDialog({ plan, ...rest }: SubscribeDialogProps) {
  return plan && <OpenDialog plan={plan} {...rest} />;
}

type OpenDialogProps = Omit<SubscribeDialogProps, "plan"> & { plan: OfferedPlan };

/** While the Pix is made, only Back leaves it. */
function OpenDialog(props: OpenDialogProps) {
  const { i18n } = useLingui();
  const create = useCreatePayment();
  const name = planNameText(i18n, props.plan.name);
  return (
    <Dialog
      open
      onOpenChange={() => !create.isPending && props.onClose()}
      title={<Trans id="subscribe.title">Confirm subscription to {name}</Trans>}
    >
      <Confirmation {...props} create={create} />
    </Dialog>
  );
}

type ConfirmationProps = OpenDialogProps & { create: ReturnType<typeof useCreatePayment> };

function Confirmation({ plan, subscription, onClose, create }: ConfirmationProps) {
  const { i18n } = useLingui();
  const { periodDays } = plan;
  const planName = planNameText(i18n, plan.name);
  return (
    <>
      <div className="quote subscribe-quote">
        <span>
          <Trans id="pix.plan">
            {planName} plan, {periodDays} days
          </Trans>
        </span>
        <b>{moneyText(i18n, plan.price)}</b>
      </div>
      <div className="subscribe-effects">
        <Effects bought={effectOfPurchase(plan, subscription, new Date(serverNow()))} days={periodDays} />
      </div>
      {create.error && (
        <p className="notice is-bad mt-4" role="alert">
          <CircleAlertIcon small />
          {create.error.message}
        </p>
      )}
      <div className="dialog-actions">
        <Button disabled={create.isPending} onClick={onClose}>
          <Trans id="action.cancel">Cancel</Trans>
        </Button>
        <Button
          kind="lit"
          disabled={create.isPending}
          onClick={() => create.mutate(plan.id, { onSuccess: onClose })}
        >
          {create.isPending ? (
            <Trans id="pix.generating">Generating…</Trans>
          ) : (
            <Trans id="subscribe.confirm">Generate Pix</Trans>
          )}
        </Button>
      </div>
    </>
  );
}

function Effects({ bought, days }: { bought: PurchaseEffect; days: number }) {
  const { i18n } = useLingui();
  const end = dayText(bought.end);
  if (bought.kind === "extends") {
    return (
      <p>
        <Trans id="subscribe.extends">
          The {days} days are added to the end of your plan: it then runs until {end}. What you have used
          stays counted.
        </Trans>
      </p>
    );
  }
  return (
    <>
      <p>
        <Trans id="subscribe.starts">
          The plan starts when the payment comes in and runs for {days} days: until {end}, if you pay today.
        </Trans>
      </p>
      {bought.kind === "replaces" && (
        <Lapses name={planNameText(i18n, bought.oldName)} oldEnd={bought.oldEnd} />
      )}
    </>
  );
}

function Lapses({ name, oldEnd }: { name: string; oldEnd: string | null }) {
  const day = oldEnd && dayText(oldEnd);
  return (
    <p className="notice is-warn">
      <span>
        {day ? (
          <Trans id="subscribe.lapses">
            Your {name} plan, which would run until {day}, ends then. Its remaining days are lost and not
            refunded.
          </Trans>
        ) : (
          <Trans id="subscribe.lapsesEndless">Your {name} plan, which has no end date, ends then.</Trans>
        )}
      </span>
    </p>
  );
}
