import { Trans } from "@lingui/react/macro";
import { type ReactNode, useState } from "react";
import { Button, type ButtonProps } from "./button.tsx";
import { copyText } from "./copy-text.ts";
import { CopyIcon } from "./icons.tsx";

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
