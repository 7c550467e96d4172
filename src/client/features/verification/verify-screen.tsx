import { Trans } from "@lingui/react/macro";
import { useEffect, useRef } from "react";
import type { IslandProps } from "../../../shared/islands.ts";
import { Brand } from "../../ui/brand.tsx";
import { LanguageSwitch } from "../preferences/language-switch.tsx";
import { ThemeSwitch } from "../preferences/theme-switch.tsx";
import { CheckOutcome } from "./check-outcome.tsx";
import { FilePicker } from "./file-picker.tsx";
import { ReceiptFacts } from "./receipt-facts.tsx";
import { useVerification } from "./use-verification.ts";

/** `/verificar`: checks a receipt, and a folder or ZIP against it, in the browser. */
export default function VerifyScreen({ productName }: IslandProps<"verify">) {
  const { receipt, check, openFile, openText, checkFiles, reset } = useVerification();
  const opener = useRef(openText);
  useEffect(() => {
    // The QR code of a paper leads here with its text behind the #, which no server sees.
    const text = window.location.hash.slice(1);
    if (text === "") return;
    window.history.replaceState(window.history.state, "", window.location.pathname);
    void opener.current(text);
  }, []);
  const opened = receipt === "unreadable" ? undefined : receipt;
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
        <section className="verify-step" aria-labelledby="verify-receipt">
          <h2 id="verify-receipt">
            <Trans id="verify.step.receipt">1. The receipt</Trans>
          </h2>
          {opened ? (
            <ReceiptFacts opened={opened} onReplace={reset} />
          ) : (
            <FilePicker kind="receipt" isLit onPick={([first]) => first && void openFile(first.file)} />
          )}
          {receipt === "unreadable" && (
            <p className="notice is-bad" role="alert">
              <Trans id="verify.unreadable">
                This file is no receipt. Choose the PDF of the receipt, or its JSON or JWS.
              </Trans>
            </p>
          )}
        </section>
        {opened && opened.signature !== "invalid" && (
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
