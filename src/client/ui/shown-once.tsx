import { Trans } from "@lingui/react/macro";
import { type ReactNode, useState } from "react";

/**
 * For a dialog that shows something once, so that neither Escape nor a click outside may lose it: `hold` answers them, and `notice`
 * then says why the dialog stays. `text` names the button that closes it, if that is another than Done.
 */
export function useShownOnce(text?: ReactNode) {
  const [times, setTimes] = useState(0);
  const hold = () => setTimes((before) => before + 1);
  // Anew at each press, so that screen readers say it each time.
  return { hold, notice: times > 0 && <ShownOnce key={times} text={text} /> };
}

function ShownOnce({ text }: { text: ReactNode }) {
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
        {text ?? (
          <Trans id="shownOnce.text">
            This is shown only once. Once you have what you need, choose Done.
          </Trans>
        )}
      </span>
    </p>
  );
}
