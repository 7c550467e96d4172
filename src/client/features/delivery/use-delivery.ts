import { useEffect, useEffectEvent, useRef, useState } from "react";
import type { OpenedRequest } from "../../../shared/api/deliveries.ts";
import { mayBeSamePerson } from "../../../shared/rules/shown-name.ts";
import { ApiError } from "../../api.ts";
import { lendToken } from "../../session.ts";
import type { Picked } from "../pick/picked-files.ts";
import { lookInWorker } from "../upload/look-inside/look-in-worker.ts";
import { removeAbandonedFiles } from "../upload/pack-folder/packed-files.ts";
import { PackingFailed, packInWorker } from "../upload/pack-folder/packed-folder.ts";
import { prepareUpload, type UploadProblem, UploadRefused } from "../upload/prepare-upload.ts";
import { packedNamesInUse } from "../upload/send/resume-records.ts";
import { deliveryApi } from "./delivery-api.ts";
import type { DeliveryState, PickedDelivery } from "./delivery-state.ts";
import { keepDelivery, readDelivery } from "./kept-delivery.ts";
import { reopenDelivery, sendDelivery } from "./send-delivery.ts";

/** The steps of a delivery, from the request's address to the receipt. */
export function useDelivery(requestId: string, maxUploadBytes: number) {
  const [state, setState] = useState<DeliveryState>({ step: "opening" });
  const controller = useRef(new AbortController());

  const show = (opened: DeliveryState) => {
    setState(opened);
    if (opened.step === "sending") void send(opened.request, opened.picked);
  };
  const showFirst = useEffectEvent(show);

  useEffect(() => {
    let isCurrent = true;
    // What a closed page packed here is needed no more, unless it can still be sent.
    void removeAbandonedFiles(packedNamesInUse());
    void openOnce(requestId).then((opened) => {
      if (isCurrent) showFirst(opened);
    });
    return () => {
      isCurrent = false;
    };
  }, [requestId]);

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

  const pick = async (request: OpenedRequest, picking: Picked | Promise<Picked>) => {
    setState({ step: "reading", request });
    const { signal } = controller.current;
    try {
      const picked = await picking;
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
      setState({ step: "done", request, from: readDelivery(requestId)?.from ?? "", ...sent });
    } catch (error) {
      if (isOver(error)) forget(requestId);
      const { message } = expected(error);
      setState(isOver(error) ? { step: "closed" } : { step: "pick", request, message });
    } finally {
      void picked.prepared.dispose();
    }
  };

  return {
    state,
    begin,
    pick,
    send,
    /** Back to the files, after a look at the name or to deliver another one. */
    chooseOther: (request: OpenedRequest, picked?: PickedDelivery) => {
      void picked?.prepared.dispose();
      setState({ step: "pick", request });
    },
    retry: () => {
      setState({ step: "opening" });
      void openPage(requestId).then(show);
    },
  };
}

/** The openings under way, because React begins a page twice in development. */
const opened = new Map<string, Promise<DeliveryState>>();

function openOnce(requestId: string): Promise<DeliveryState> {
  const opening = opened.get(requestId) ?? openPage(requestId);
  opened.set(requestId, opening);
  return opening;
}

async function openPage(requestId: string): Promise<DeliveryState> {
  try {
    return (await goOn(requestId)) ?? (await openRequest(requestId));
  } catch (error) {
    return isOver(error) ? { step: "closed" } : { step: "failed", message: expected(error).message };
  }
}

async function openRequest(requestId: string): Promise<DeliveryState> {
  const request = await deliveryApi.open(requestId, secretOfPage());
  return { step: "who", request, isBusy: false };
}

/** The delivery that this browser began earlier; undefined if there is none, or if it is over. */
async function goOn(requestId: string): Promise<DeliveryState | undefined> {
  const kept = readDelivery(requestId);
  if (!kept) return undefined;
  lendToken(kept.token);
  try {
    const { request, from } = kept;
    const uploads = await deliveryApi.uploads();
    const done = uploads.find(({ state }) => state === "done");
    if (done?.result) return { step: "done", request, from, uploadId: done.id, answer: done.result };
    const begun = uploads.find(({ state }) => state === "receiving" || state === "processing");
    const picked = begun && (await reopenDelivery(requestId, begun));
    if (picked) {
      const transfer = { loadedBytes: begun.offset, totalBytes: begun.sizeBytes };
      return { step: "sending", request, picked, transfer };
    }
    const half = begun?.state === "receiving" ? begun : undefined;
    const percent = half && Math.floor((100 * half.offset) / half.sizeBytes);
    return {
      step: "pick",
      request,
      ...(half && percent !== undefined && { halfSent: { fileName: half.filename, percent } }),
    };
  } catch (error) {
    if (!isOver(error)) throw error;
    forget(requestId);
    return undefined;
  }
}

function forget(requestId: string): void {
  keepDelivery(requestId, undefined);
  lendToken(undefined);
}

function secretOfPage(): string {
  return window.location.hash.slice(1);
}

/** Whether the request, or the delivery's token, is no good any more. */
function isOver(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 401 || error.code === "request.not_found");
}

function expected(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  throw error;
}

function problemOf(error: unknown): UploadProblem {
  if (error instanceof UploadRefused) return error.problem;
  if (error instanceof PackingFailed) return "packingFailed";
  if (error instanceof DOMException) return "badZip";
  throw error;
}

/** The first patient of the images who can't be the one that the request names. */
function otherName({ shownName }: OpenedRequest, { prepared }: PickedDelivery): string | undefined {
  const names = (prepared.contents?.studies ?? []).map(({ about }) => about.patientName ?? "");
  return names.find((name) => name.trim() !== "" && !mayBeSamePerson(shownName, name));
}
