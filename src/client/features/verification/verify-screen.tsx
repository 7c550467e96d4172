import { Plural, Trans } from "@lingui/react/macro";
import { useEffect, useEffectEvent, useRef } from "react";
import type { IslandProps } from "../../../shared/islands.ts";
import { Brand } from "../../ui/brand.tsx";
import { useFragmentChange } from "../../ui/hooks/use-fragment-change.ts";
import { useKeptFocus } from "../../ui/hooks/use-kept-focus.ts";
import { LanguageSwitch } from "../preferences/language-switch.tsx";
import { ThemeSwitch } from "../preferences/theme-switch.tsx";
import { CheckOutcome } from "./check-outcome.tsx";
import { FilePicker } from "./file-picker.tsx";
import { ReceiptFacts } from "./receipt-facts.tsx";
import { type RefusedReceipt, useVerification } from "./use-verification.ts";

/** `/verificar`: checks a receipt, and a folder or ZIP against it, in the browser. */
export default function VerifyScreen({ productName }: IslandProps<"verify">) {
  const { receipt, refused, check, openFile, openAddress, checkFiles, reset } = useVerification();
  const receiptStep = useRef<HTMLElement>(null);
  // A receipt takes the place of the button that it was chosen by.
  const focus = useKeptFocus(receiptStep);
  // The QR code of a paper leads here with its text behind the #, which no server sees.
  const openFragment = () => {
    const text = window.location.hash.slice(1);
    if (text === "") return;
    window.history.replaceState(window.history.state, "", window.location.pathname);
    void openAddress(text);
  };
  const begin = useEffectEvent(openFragment);
  useEffect(() => begin(), []);
  useFragmentChange(openFragment);
  return (
    <>
      <header className="verify-bar">
        <Brand productName={productName} />
        <div className="flex items-center gap-2">
          <LanguageSwitch />
          <ThemeSwitch />
        </div>
      </header>
      <main className="verify">
        <h1>
          <Trans id="verify.title">Check a receipt</Trans>
        </h1>
        <p className="verify-lead">
          <Trans id="verify.lead">
            See whether an exam is what was received, image by image. The files never leave this device.
          </Trans>
        </p>
        <section ref={receiptStep} className="verify-step" aria-labelledby="verify-receipt" {...focus}>
          <h2 id="verify-receipt">
            <Trans id="verify.step.receipt">1. The receipt</Trans>
          </h2>
          {receipt ? (
            <ReceiptFacts opened={receipt} onReplace={reset} />
          ) : (
            <FilePicker kind="receipt" isLit onPick={([first]) => first && void openFile(first.file)} />
          )}
          {refused && <Refused {...refused} />}
        </section>
        {receipt && receipt.signature !== "invalid" && (
          <section className="verify-step" aria-labelledby="verify-files">
            <h2 id="verify-files">
              <Trans id="verify.step.files">2. The exam</Trans>
            </h2>
            <FilePicker
              kind="exam"
              isLit={check.state === "none"}
              disabled={check.state === "running"}
              onPick={(files) => void checkFiles(files)}
            />
            <CheckOutcome check={check} />
          </section>
        )}
      </main>
    </>
  );
}

function Refused({ unread, isGone, isAddress }: RefusedReceipt) {
  return (
    <p className="notice is-bad" role="alert">
      {isGone ? (
        <Trans id="verify.failed.gone">A file was changed or removed since it was chosen.</Trans>
      ) : isAddress ? (
        <Trans id="verify.noReceiptInAddress">
          This address has no receipt, or was not copied whole. Copy it again, or choose the PDF of the
          receipt.
        </Trans>
      ) : unread > 0 ? (
        <Plural
          id="verify.noneRead"
          value={unread}
          one="This PDF has a receipt, but it can't be read. Get the PDF again where the exam is kept."
          other="This PDF has # receipts, but none of them can be read. Get the PDF again where the exams are kept."
        />
      ) : (
        <Trans id="verify.unreadable">
          This file is no receipt. Choose the PDF of the receipt, or its JSON or JWS.
        </Trans>
      )}
    </p>
  );
}
