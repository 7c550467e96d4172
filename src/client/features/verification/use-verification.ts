import { useRef, useState } from "react";
import { type PublicKey, publicKeysCall } from "../../../shared/api/receipts.ts";
import { ApiError, callJson } from "../../calls/api.ts";
import { type ComparisonOfExams, compareExams, compareRoot, type HashedFile } from "./compare-files.ts";
import { hashInWorker } from "./hash-in-worker.ts";
import { HashFailed, type HashFailure, type PickedFile } from "./hash-messages.ts";
import {
  type OpenedReceipt,
  openReceiptFile,
  openReceiptText,
  receiptsOf,
  type UnreadReceipts,
} from "./receipt-file.ts";

/** How the files compare with the receipt; with the digest of one, only whether all of them together are what was received. */
export type CheckResult =
  | ({ kind: "compared" } & ComparisonOfExams)
  | { kind: "root"; isSame: boolean; images: number };

export type Check =
  | { state: "none" }
  | { state: "running"; files: number; total: number }
  | { state: "failed"; reason: HashFailure }
  | { state: "done"; result: CheckResult };

/**
 * What was brought and shows no receipt. `isGone`: its file was changed or removed since it was chosen; `isAddress`: it is the text
 * of the page's address.
 */
export type RefusedReceipt = UnreadReceipts & { isGone?: boolean; isAddress?: boolean };

/** The receipt and the files that a person brought. Nothing of them leaves the page: only the public keys are fetched. */
export function useVerification() {
  const [receipt, setReceipt] = useState<OpenedReceipt>();
  const [refused, setRefused] = useState<RefusedReceipt>();
  const [check, setCheck] = useState<Check>({ state: "none" });
  const running = useRef<AbortController>(undefined);
  /** What was brought last and is being read. */
  const reading = useRef<object>(undefined);

  async function open(
    read: (keys: PublicKey[] | undefined) => Promise<OpenedReceipt | RefusedReceipt | undefined>,
  ): Promise<void> {
    forgetCheck();
    const brought = {};
    reading.current = brought;
    const opened = (await unlessGone(read(await fetchKeys()))) ?? { unread: 0 };
    if (reading.current !== brought) return;
    // Files that were brought meanwhile were compared with the receipt before.
    forgetCheck();
    const isRead = "digest" in opened;
    setReceipt(isRead ? opened : undefined);
    setRefused(isRead ? undefined : opened);
  }

  function forgetCheck(): void {
    running.current?.abort();
    running.current = undefined;
    setCheck({ state: "none" });
  }

  async function checkFiles(files: PickedFile[]): Promise<void> {
    if (!receipt) return;
    forgetCheck();
    const control = new AbortController();
    running.current = control;
    const show = (next: Check) => {
      if (running.current === control) setCheck(next);
    };
    show({ state: "running", files: 0, total: files.length });
    const known =
      receipt.receipt &&
      receiptsOf(receipt).flatMap(({ instances }) => instances.map(({ sha256 }) => sha256));
    const onHashed = (count: number, total: number) => show({ state: "running", files: count, total });
    try {
      const hashed = await hashInWorker({ files, known }, { onHashed, signal: control.signal });
      show({ state: "done", result: judge(receipt, hashed) });
    } catch (error) {
      if (control.signal.aborted) return;
      if (!(error instanceof HashFailed)) throw error;
      show({ state: "failed", reason: error.reason });
    }
  }

  return {
    receipt,
    /** What was brought last and is no receipt, or has receipts of which none can be read. */
    refused,
    check,
    openFile: (file: Blob) => open((keys) => openReceiptFile(file, keys)),
    openAddress: (text: string) =>
      open(async (keys) => (await openReceiptText(text, keys)) ?? { unread: 0, isAddress: true }),
    checkFiles,
    reset() {
      forgetCheck();
      reading.current = undefined;
      setReceipt(undefined);
      setRefused(undefined);
    },
  };
}

function judge(opened: OpenedReceipt, files: readonly HashedFile[]): CheckResult {
  if (opened.receipt) return { kind: "compared", ...compareExams(receiptsOf(opened), files) };
  return { kind: "root", ...compareRoot(opened.digest.root, files) };
}

async function unlessGone<Opened>(opening: Promise<Opened>): Promise<Opened | RefusedReceipt> {
  try {
    return await opening;
  } catch (error) {
    if (error instanceof DOMException) return { unread: 0, isGone: true };
    throw error;
  }
}

async function fetchKeys(): Promise<PublicKey[] | undefined> {
  try {
    return (await callJson(publicKeysCall, { anonymous: true })).keys;
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}
