import { Trans } from "@lingui/react/macro";
import { useSetAtom } from "jotai";
import type { Payment } from "../../../shared/api/payments.ts";
import { Button } from "../../ui/button.tsx";
import { useFailure } from "../../ui/hooks/use-failure.ts";
import { PHONE, useMediaQuery } from "../../ui/hooks/use-media-query.ts";
import { ReceiptIcon } from "../../ui/icons.tsx";
import { useDialogValue } from "../places/use-dialog-value.ts";
import { useHomeIf } from "../places/use-home-if.ts";
import { dialogIdAtom, viewAtom } from "../places/views.ts";
import { maySubscribe, useHis } from "../session/his-context.ts";
import { PaymentCards } from "./payment-cards.tsx";
import { PaymentDetailsDialog } from "./payment-details-dialog.tsx";
import { PaymentTable } from "./payment-table.tsx";
import { PaymentsError } from "./payments-error.tsx";
import { usePaymentHistory } from "./use-payments.ts";

/** The person's payments. Admins pay nothing and are sent back to the start. */
export default function PaymentHistoryView() {
  const isAdmin = useHis().user.role === "admin";
  useHomeIf(isAdmin);
  return isAdmin ? null : <PaymentHistory />;
}

/** Id of the payment whose details are open. */
const openDetailsAtom = dialogIdAtom("details");

function PaymentHistory() {
  const query = usePaymentHistory();
  const { data, refetch } = query;
  const error = useFailure(query);
  const [openPayment, setOpenId] = useDialogValue(openDetailsAtom, data);
  return (
    <>
      <div className="view-head">
        <h1>
          <Trans id="payments.title">Payment history</Trans>
        </h1>
      </div>
      {error && <PaymentsError error={error} onRetry={refetch} />}
      {data?.length === 0 && <NothingPaid />}
      {!error && data?.length !== 0 && <Payments payments={data} onOpen={({ id }) => setOpenId(id)} />}
      <PaymentDetailsDialog payment={openPayment} onClose={() => setOpenId(undefined)} />
    </>
  );
}

/** The payments as a table or as cards, by the width of the screen; undefined while they are being loaded. */
function Payments(list: { payments: Payment[] | undefined; onOpen: (payment: Payment) => void }) {
  const isPhone = useMediaQuery(PHONE);
  return (
    <section className="panel payments">
      {isPhone ? <PaymentCards {...list} /> : <PaymentTable {...list} />}
    </section>
  );
}

function NothingPaid() {
  const { user } = useHis();
  const setView = useSetAtom(viewAtom);
  return (
    <section className="panel payments-none">
      <ReceiptIcon />
      <h2>
        <Trans id="payments.none.title">No payments yet</Trans>
      </h2>
      <p>
        <Trans id="payments.none.text">What you pay by Pix is listed here.</Trans>
      </p>
      {maySubscribe(user) && (
        <Button kind="lit" onClick={() => setView("subscription")}>
          <Trans id="subscription.seePlans">See plans</Trans>
        </Button>
      )}
    </section>
  );
}
