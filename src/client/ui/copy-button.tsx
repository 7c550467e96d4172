import { Trans, useLingui } from "@lingui/react/macro";
import { type ReactNode, useState } from "react";
import { Button, type ButtonProps, IconButton } from "./button.tsx";
import { copyText } from "./copy-text.ts";
import { CopyIcon } from "./icons.tsx";
import { showToast } from "./toast.tsx";

interface CopyButtonProps extends Omit<ButtonProps, "onClick" | "children"> {
  /** What goes to the clipboard. */
  text: string;
  /** Says what is copied; "Copy" by default. */
  children?: ReactNode;
}

/** Copies a text, and says so once it is in the clipboard. */
export function CopyButton({
  text,
  children = <Trans id="security.copy">Copy</Trans>,
  ...button
}: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false);
  const copied = <Trans id="security.copied">Copied</Trans>;
  return (
    <>
      <Button {...button} onClick={() => void copyText(text).then(setCopied)}>
        <CopyIcon small />
        <span>{isCopied ? copied : children}</span>
      </Button>
      {/* Beside the button: a status inside gives it no name in Chromium. */}
      <span className="sr-only" role="status">
        {isCopied && copied}
      </span>
    </>
  );
}

/** The same as an icon, beside the text; a toast says that it is copied. */
export function CopyIconButton({ text, label }: { text: string; label: string }) {
  const { t } = useLingui();
  const copy = async () => {
    if (await copyText(text))
      showToast({ tone: "ok", title: t({ id: "security.copied", message: "Copied" }) });
  };
  return (
    <IconButton label={label} onClick={() => void copy()}>
      <CopyIcon />
    </IconButton>
  );
}
