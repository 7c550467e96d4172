import { useEffect, useEffectEvent, useRef, useState } from "react";
import type { OpenedRequest } from "../../../shared/api/deliveries.ts";
import type { ResumableUploadState } from "../../../shared/api/resumable.ts";
import { mayBeSamePerson } from "../../../shared/rules/shown-name.ts";
import { lendToken } from "../../session.ts";
import { onlyOf, type Picked } from "../pick/picked-files.ts";
import { lookInWorker } from "../upload/look-inside/look-in-worker.ts";
import { removeAbandonedFiles } from "../upload/pack-folder/packed-files.ts";
import { packInWorker } from "../upload/pack-folder/packed-folder.ts";
import { problemOf } from "../upload/pack-folder/problem-of.ts";
import { prepareUpload } from "../upload/prepare-upload.ts";
import { packedNamesInUse } from "../upload/send/resume-records.ts";
import { deliveryApi } from "./delivery-api.ts";
import type { DeliveryState, PickedDelivery, Receipted } from "./delivery-state.ts";
import { keepDelivery } from "./kept-delivery.ts";
import {
  changeOf,
  doneState,
  expected,
  forget,
  isOver,
  openOnce,
  openPage,
  secretOfPage,
} from "./open-delivery.ts";
import { awaitDelivery, sendDelivery } from "./send-delivery.ts";

/** The steps of a delivery, from the request's address to the receipt. */
export function useDelivery(requestId: string, maxUploadBytes: number) {
  const [state, setState] = useState<DeliveryState>({ step: "opening" });
  const [receipt, setReceipt] = useState<Receipted>();
  const controller = useRef(new AbortController());

  const show = (opened: DeliveryState) => {
    setState(opened);
    if (opened.step === "sending") void send(opened.request, opened.picked);
    if (opened.step === "taking") void take(opened.request, opened.upload);
  };
  const showOpened = useEffectEvent(show);

  useEffect(() => {
    let isCurrent = true;
    // What a closed page packed here is needed no more, unless it can still be sent.
    void removeAbandonedFiles(packedNamesInUse());
    void openOnce(requestId).then((opened) => {
      if (isCurrent) showOpened(opened);
    });
    return () => {
      isCurrent = false;
    };
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
    const { signal } = controller.current;
    try {
      const picked = onlyOf(await picking);
      const options = {
        maxUploadBytes,
        signal,
        pack: packInWorker,
        look: lookInWorker,
        onProgress: () => {},
      };
      const prepared = await prepareUpload(picked, options);
      const name = picked.kind === "zip" ? picked.file.name : picked.kind === "folder" ? picked.name : "";
      const ready: PickedDelivery = { prepared, name, kind: picked.kind === "zip" ? "zip" : "folder" };
      const found = otherName(request, ready);
      if (found !== undefined) setState({ step: "name", request, picked: ready, found });
      else await send(request, ready);
    } catch (error) {
      setState({ step: "pick", request, problem: problemOf(error) });
    }
  };

  const send = async (request: OpenedRequest, picked: PickedDelivery) => {
    const { signal } = controller.current;
    const totalBytes = picked.prepared.zip.size;
    if (picked.begunId === undefined)
      setState({ step: "sending", request, picked, transfer: { loadedBytes: 0, totalBytes } });
    try {
      const onProgress = (transfer: { loadedBytes: number; totalBytes: number }) =>
        setState({ step: "sending", request, picked, transfer });
      const sent = await sendDelivery(picked, { requestId, onProgress, signal });
      const done = doneState(requestId, request, sent.uploadId, sent.answer);
      setState({ ...done, studies: picked.prepared.contents?.studies });
    } catch (error) {
      showFailure(request, error);
    } finally {
      void picked.prepared.dispose();
    }
  };

  const take = async (request: OpenedRequest, upload: ResumableUploadState) => {
    try {
      const answer = await awaitDelivery(requestId, upload, controller.current.signal);
      setState(doneState(requestId, request, upload.id, answer));
    } catch (error) {
      showFailure(request, error);
    }
  };

  const showFailure = (request: OpenedRequest, error: unknown) => {
    if (isOver(error)) forget(requestId);
    const { message } = expected(error);
    setState(isOver(error) ? { step: "closed" } : { step: "pick", request, message });
  };

  return {
    state,
    begin,
    pick,
    send,
    /** Back to the files, after a look at the name or to deliver another one. */
    chooseOther: (request: OpenedRequest, picked?: PickedDelivery) => {
      void picked?.prepared.dispose();
      if (state.step === "done") setReceipt(state);
      setState({ step: "pick", request });
    },
    /** Of the delivery before the one that is being made. */
    receipt,
    /** Back to a receipt, from the files of another delivery. */
    showReceipt: (receipt: Receipted) => setState(receipt),
    retry: () => {
      setState({ step: "opening" });
      void openPage(requestId).then(show);
    },
  };
}

/** The first patient of the images who can't be the one that the request names. */
function otherName({ shownName }: OpenedRequest, { prepared }: PickedDelivery): string | undefined {
  const names = (prepared.contents?.studies ?? []).map(({ about }) => about.patientName ?? "");
  return names.find((name) => name.trim() !== "" && !mayBeSamePerson(shownName, name));
}
