import { Trans, useLingui } from "@lingui/react/macro";
import { type RefObject, useEffect, useId, useRef, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { writeClipboard } from "../../ui/copy-text.ts";
import { CircleAlertIcon } from "../../ui/entry-icons.tsx";
import { CheckIcon, CopyIcon } from "../../ui/icons.tsx";

const COPIED_MS = 3_000;
/** Characters in a line on a phone. Browsers that fit a field to its text do not need it; Safari does so since 26.2. */
const LINE_LENGTH = 36;

/** "Pix copia e cola", and the button that copies it. If copying is refused, the code is selected instead. */
export function PixCode({ code }: { code: string }) {
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const { state, copy } = useCopy(code, field);
  return (
    <div className="pix-code">
      <label className="field-label" htmlFor={id}>
        <Trans id="pix.code">Pix copy and paste</Trans>
      </label>
      <textarea
        id={id}
        ref={field}
        className="pix-code-text mono"
        rows={Math.ceil(code.length / LINE_LENGTH)}
        readOnly
        spellCheck={false}
        value={code}
        onClick={({ currentTarget }) => currentTarget.select()}
      />
      <Button kind="lit" size="big" onClick={() => void copy()}>
        {state === "copied" ? <CheckIcon small /> : <CopyIcon small />}
        {state === "copied" ? (
          <Trans id="pix.copied">Code copied</Trans>
        ) : (
          <Trans id="pix.copy">Copy Pix code</Trans>
        )}
      </Button>
      <CopyNote state={state} />
    </div>
  );
}

type CopyState = "idle" | "copied" | "failed";

function CopyNote({ state }: { state: CopyState }) {
  const { t } = useLingui();
  if (state === "failed") {
    return (
      <p className="field-error" role="alert">
        <CircleAlertIcon small />
        <Trans id="pix.copyFailed">The code could not be copied</Trans>
      </p>
    );
  }
  return (
    <span className="sr-only" role="status">
      {state === "copied" && t({ id: "pix.copied", message: "Code copied" })}
    </span>
  );
}

function useCopy(code: string, field: RefObject<HTMLTextAreaElement | null>) {
  const [state, setState] = useState<CopyState>("idle");
  useEffect(() => {
    if (state !== "copied") return;
    const timer = setTimeout(() => setState("idle"), COPIED_MS);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = async () => {
    if (await writeClipboard(code)) {
      setState("copied");
      return;
    }
    field.current?.focus();
    field.current?.select();
    setState("failed");
  };
  return { state, copy };
}
