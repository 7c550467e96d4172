import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useEffect, useState } from "react";
import { localStore } from "../../runtime/browser-storage.ts";
import { QuietStatus } from "./quiet-status.tsx";
import { isFilm, type Visor } from "./use-visor.ts";
import { isMeasuring } from "./view-settings.ts";
import { stackName, windowText } from "./visor-texts.ts";

/** The window, or what is still on its way. */
export function Seen({ visor }: { visor: Visor }) {
  const { shown, window, failure, stack, index, state } = visor;
  const { i18n } = useLingui();
  const count = stack?.slices.length ?? 0;
  const number = index + 1;
  if (stack && !stack.isBegun && !shown && failure === undefined) {
    return (
      <span className="visor-mono">
        <Trans id="visor.preview">
          Preview · {number} of {count}
        </Trans>
      </span>
    );
  }
  if (state.phase === "opening" || (stack?.isBegun && !shown)) {
    return (
      <span className="visor-mono">
        <Trans id="visor.opening">Opening</Trans>
      </span>
    );
  }
  if (stack && isFilm(stack)) {
    return (
      <span className="visor-mono">
        <Plural id="visor.frames" value={count} one="# frame" other="# frames" />
      </span>
    );
  }
  return <span className="visor-mono">{window ? windowText(i18n, window) : null}</span>;
}

/** What is written in the corners of a desktop's film. */
export function Corners({ visor }: { visor: Visor }) {
  const { i18n } = useLingui();
  const { stack, slice, settings } = visor;
  const thickness = slice?.geometry.thickness;
  const mm =
    thickness && `${i18n.number(thickness, { minimumFractionDigits: 1, maximumFractionDigits: 1 })} mm`;
  const percent = Math.round(settings.turn.zoom * 100);
  const number = stack?.series.seriesNumber;
  return (
    <>
      <div className="visor-corner is-top">
        {stack && stackName(i18n, stack)}
        <br />
        {number === null || number === undefined ? (
          stack?.series.modality
        ) : (
          <Trans id="visor.seriesNumber">Se {number}</Trans>
        )}
        {mm && ` · ${mm}`}
      </div>
      <div className="visor-corner is-bottom">
        <Seen visor={visor} />
        <br />
        <Trans id="visor.zoom">Zoom {percent}%</Trans>
      </div>
    </>
  );
}

const HINT = "visorHint";
const MAX_HINTS = 3;

/** Says three times in a lifetime how to scroll. */
export function ScrollHint({ visor: { stack, index, settings } }: { visor: Visor }) {
  const [times] = useState(() => Number(localStore.read(HINT) ?? 0));
  const [first, setFirst] = useState<{ key: string; index: number }>();
  const isStack = (stack?.slices.length ?? 0) > 1 && stack?.framesPerSecond === undefined;
  useEffect(() => {
    if (!isStack || first || !stack) return;
    setFirst({ key: stack.key, index });
    localStore.write(HINT, String(times + 1));
  }, [isStack, first, stack, index, times]);
  if (isMeasuring(settings.tool)) return null;
  if (!first || times >= MAX_HINTS || stack?.key !== first.key || index !== first.index) return null;
  return (
    <p className="visor-hint">
      <Trans id="visor.hint">Drag up or down to move through the images</Trans>
    </p>
  );
}

/** Tells a screen reader the series and the place in it. */
export function Announcement({ visor: { stack, index } }: { visor: Visor }) {
  const { i18n, t } = useLingui();
  const name = stack ? stackName(i18n, stack) : "";
  const count = stack && !stack.isBegun ? stack.slices.length : 0;
  const number = index + 1;
  const text = t({ id: "visor.announcement", message: `${name}, image ${number} of ${count}` });
  return <QuietStatus text={count === 0 ? undefined : text} />;
}
