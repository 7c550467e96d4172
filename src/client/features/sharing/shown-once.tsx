import { Trans } from "@lingui/react/macro";
import { useState } from "react";

/**
 * For a dialog that shows something once, so that neither Escape nor a click outside may lose it: `hold` answers them, and `notice`
 * then says why the dialog stays.
 */
export function useShownOnce() {
  const [isHeld, setHeld] = useState(false);
  return { hold: () => setHeld(true), notice: isHeld && <ShownOnce /> };
}

function ShownOnce() {
  return (
    <p
      className="notice is-warn"
      role="alert"
      ref={(notice) => {
        // The button that it speaks of stands below it. Braces, because newer browsers return a promise here.
        (notice?.nextElementSibling ?? notice)?.scrollIntoView({ block: "nearest" });
      }}
    >
      <span>
        <Trans id="shownOnce.text">This is shown only once. Once you have what you need, choose Done.</Trans>
      </span>
    </p>
  );
}
