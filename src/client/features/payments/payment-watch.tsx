import { useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { useAtom } from "jotai";
import { Suspense, useCallback, useEffect, useEffectEvent, useRef, useState } from "react";
import type { PaymentStatus } from "../../../shared/api/payments.ts";
import { lazyChunk } from "../../ui/lazy-chunk.ts";
import { showToast } from "../../ui/toast.tsx";
import { useMySubscription } from "../session/use-my-subscription.ts";
import { shownPaymentAtom } from "./shown-payment.ts";
import { refreshAfterPayment, usePayment } from "./use-payments.ts";

const PixDialog = lazyChunk(() => import("./pix-dialog.tsx"));

const CONFIRMED_MS = 30_000;

/** Watches the person's open Pix under every view, and shows its dialog on request. */
export function PaymentWatch() {
  const { t } = useLingui();
  const [shownId, setShownId] = useAtom(shownPaymentAtom);
  const { data: subscription } = useMySubscription({ enabled: true });
  const isShown = shownId !== undefined;
  const watched = { id: shownId ?? subscription?.openPaymentId, isShown };
  const { data, error, refetch } = useWatchedPayment(watched, () => {
    if (!isShown) showToast({ tone: "ok", title: t({ id: "pix.paid", message: "Payment confirmed" }) });
  });
  const close = useCallback(() => setShownId(undefined), [setShownId]);
  if (!isShown) return null;
  return (
    <Suspense>
      <PixDialog payment={data} error={error} onRetry={() => void refetch()} onClose={close} />
    </Suspense>
  );
}

interface Watched {
  id: string | null | undefined;
  isShown: boolean;
}

/** Calls `onPaid` once for a payment that was received, also after it expired, while all it changes is being read again. */
function useWatchedPayment({ id: openId, isShown }: Watched, onPaid: () => void) {
  const queryClient = useQueryClient();
  const [confirmedId, setConfirmedId] = useState<string>();
  const told = useRef(new Set<string>());
  const id = openId ?? confirmedId;
  const payment = usePayment(id, { isConfirmed: id !== undefined && id === confirmedId, isShown });
  const status = payment.data?.status;

  const onEnd = useEffectEvent((endedId: string, ended: PaymentStatus) => {
    const end = `${endedId} ${ended}`;
    if (told.current.has(end)) return;
    told.current.add(end);
    refreshAfterPayment(queryClient);
    if (ended !== "paid") return;
    setConfirmedId(endedId);
    onPaid();
  });
  useEffect(() => {
    if (id !== undefined && status !== undefined && status !== "pending") onEnd(id, status);
  }, [id, status]);

  useEffect(() => {
    if (confirmedId === undefined) return;
    const timer = setTimeout(() => setConfirmedId(undefined), CONFIRMED_MS);
    return () => clearTimeout(timer);
  }, [confirmedId]);

  return payment;
}
