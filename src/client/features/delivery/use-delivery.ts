import { useEffect, useEffectEvent, useRef, useState } from "react";
import type { OpenedRequest } from "../../../shared/api/deliveries.ts";
import type { ResumableUploadState } from "../../../shared/api/resumable.ts";
import { mayBeSamePerson } from "../../../shared/rules/shown-name.ts";
import { ApiError } from "../../calls/api.ts";
import { lendToken } from "../../session.ts";
import { useFragmentChange } from "../../ui/hooks/use-fragment-change.ts";
import type { Picked } from "../pick/picked-files.ts";
import { sumInWorker } from "../upload/draft/file-sums.ts";
import type { ReadingProgress } from "../upload/draft/read-source.ts";
import { lookInWorker } from "../upload/look-inside/look-in-worker.ts";
import { removeAbandonedFiles } from "../upload/pack-folder/packed-files.ts";
import { packInWorker } from "../upload/pack-folder/packed-folder.ts";
import { problemOf } from "../upload/pack-folder/problem-of.ts";
import { loadTusAhead } from "../upload/send/load-tus.ts";
import { packedNamesInUse } from "../upload/send/resume-records.ts";
import { deliveryApi } from "./delivery-api.ts";
import type { BegunUpload, DeliveryState, PickedDelivery, Receipted } from "./delivery-state.ts";
import { keepDelivery, partsLeft } from "./kept-delivery.ts";
import {
  afterArrival,
  changeOf,
  expected,
  forget,
  isOver,
  type OpenedDelivery,
  openOnce,
  openPage,
  secretOfPage,
} from "./open-delivery.ts";
import { planDelivery, sizeOfPlanned } from "./plan-delivery.ts";
import { awaitDelivery, sendBegun, sendDelivery } from "./send-delivery.ts";

/** The steps of a delivery, from the request's address to the receipt. */
export function useDelivery(requestId: string, maxUploadBytes: number) {
  const [state, setState] = useState<DeliveryState>({ step: "opening" });
  const [receipt, setReceipt] = useState<Receipted>();
  /** Ends all that the page does, as soon as nobody sees it. */
  const page = useRef(new AbortController());

  const show = (opened: OpenedDelivery) => {
    if (opened.step === "begun") return void sendOn(opened.request, opened.begun);
    setState(opened);
    if (opened.step === "taking") void take(opened.request, opened.upload);
  };
  const showOpened = useEffectEvent(show);

  useEffect(() => {
    const shown = new AbortController();
    page.current = shown;
    // What a closed page packed here is no longer needed, unless it can still be sent.
    void removeAbandonedFiles(packedNamesInUse());
    void openOnce(requestId).then((opened) => {
      if (!shown.signal.aborted) showOpened(opened);
    });
    return () => shown.abort();
  }, [requestId]);

  // Another page may still send it.
  const half = state.step === "pick" ? state.halfSent : undefined;
  useEffect(() => {
    if (!half) return;
    const watching = new AbortController();
    const { signal } = watching;
    changeOf(requestId, half, signal).then(
      (changed) => {
        if (changed && !signal.aborted) showOpened(changed);
      },
      (error) => {
        if (!signal.aborted) throw error;
      },
    );
    return () => watching.abort();
  }, [requestId, half]);

  const begin = async (request: OpenedRequest, from: string) => {
    setState({ step: "who", request, isBusy: true });
    try {
      const { token } = await deliveryApi.begin({ request: requestId, secret: secretOfPage(), from });
      keepDelivery(requestId, { token, from, request });
      lendToken(token);
      setState({ step: "pick", request });
    } catch (error) {
      const { message } = expected(error);
      setState(isOver(error) ? { step: "closed" } : { step: "who", request, message, isBusy: false });
    }
  };

  const pick = async (request: OpenedRequest, picking: Picked[] | Promise<Picked[]>) => {
    setState({ step: "reading", request });
    loadTusAhead();
    const { signal } = page.current;
    try {
      const onProgress = ({ phase }: ReadingProgress) =>
        setState({ step: "reading", request, isWaiting: phase === "waiting" });
      const options = { maxUploadBytes, signal, onProgress, look: lookInWorker, sum: sumInWorker };
      const picked = await planDelivery(await picking, options);
      const found = otherName(request, picked);
      if (picked.uploads.length === 0) setState({ step: "pick", request, problems: picked.leftOut });
      else if (found !== undefined || picked.leftOut.length > 0)
        setState({ step: "check", request, picked, found });
      else await send(request, picked);
    } catch (error) {
      if (signal.aborted) return;
      setState({ step: "pick", request, problems: [{ name: "", problem: problemOf(error) }] });
    }
  };

  const send = async (request: OpenedRequest, picked: PickedDelivery) => {
    const { exams, uploads } = picked;
    const totalBytes = uploads.reduce((sum, one) => sum + sizeOfPlanned(one), 0);
    let sending: Extract<DeliveryState, { step: "sending" }> = {
      step: "sending",
      request,
      picked,
      transfer: { loadedBytes: 0, totalBytes },
      parts: { arrived: 0, total: uploads.length },
    };
    setState(sending);
    try {
      await sendDelivery(uploads, {
        requestId,
        pack: packInWorker,
        signal: page.current.signal,
        onProgress(transfer, parts) {
          sending = { ...sending, transfer, parts, packing: undefined };
          setState(sending);
        },
        onPacking(packing) {
          sending = { ...sending, packing };
          setState(sending);
        },
      });
      const arrived = await afterArrival(requestId, request);
      setState(arrived.step === "done" ? { ...arrived, studies: exams } : arrived);
    } catch (error) {
      showFailure(request, error);
    }
  };

  /** Sends on what an earlier page began. */
  const sendOn = (request: OpenedRequest, begun: BegunUpload) =>
    finish(request, async () => {
      const picked = { name: begun.fileName, exams: [] };
      await sendBegun(begun, {
        requestId,
        signal: page.current.signal,
        onProgress: (transfer, parts) => setState({ step: "sending", request, picked, transfer, parts }),
      });
    });

  const take = (request: OpenedRequest, upload: ResumableUploadState) =>
    finish(request, () => awaitDelivery(requestId, upload, page.current.signal));

  const finish = async (request: OpenedRequest, work: () => Promise<unknown>) => {
    try {
      await work();
      setState(await afterArrival(requestId, request));
    } catch (error) {
      showFailure(request, error);
    }
  };

  const showFailure = (request: OpenedRequest, error: unknown) => {
    if (page.current.signal.aborted) return;
    if (isOver(error)) forget(requestId);
    if (isOver(error)) return setState({ step: "closed" });
    const parts = partsLeft(requestId);
    if (error instanceof ApiError) return setState({ step: "pick", request, parts, message: error.message });
    setState({ step: "pick", request, parts, problems: [{ name: "", problem: problemOf(error) }] });
  };

  const retry = () => {
    setState({ step: "opening" });
    void openPage(requestId).then(show);
  };
  useFragmentChange(() => {
    if (state.step === "closed" || state.step === "failed") retry();
  });

  return {
    state,
    begin,
    pick,
    send,
    /** Back to the files, after a look at the name or to deliver another one. */
    chooseOther: (request: OpenedRequest) => {
      if (state.step === "done") setReceipt(state);
      setState({ step: "pick", request, parts: partsLeft(requestId) });
    },
    /** The receipt of the delivery before the one that is being made. */
    receipt,
    /** Back to a receipt, from the files of another delivery. */
    showReceipt: (receipt: Receipted) => setState(receipt),
    retry,
  };
}

/** The first patient of the images who can't be the one that the request names. */
function otherName({ shownName }: OpenedRequest, { exams }: PickedDelivery): string | undefined {
  const names = exams.map(({ about }) => about.patientName);
  return names.find((name) => name.trim() !== "" && !mayBeSamePerson(shownName, name));
}
