import { Trans, useLingui } from "@lingui/react/macro";
import { MinusIcon, PauseIcon, PlayIcon, PlusIcon } from "./icons.ts";
import type { Cine } from "./use-cine.ts";

interface CineBarProps {
  cine: Cine;
  index: number;
  count: number;
  onSeek: (index: number) => void;
}

/** Plays and stops a film, and sets its speed. */
export function CineBar({ cine, index, count, onSeek }: CineBarProps) {
  const { t } = useLingui();
  const { isPlaying, rate } = cine;
  return (
    <div className="visor-cine">
      <button
        type="button"
        className="visor-play"
        aria-label={
          isPlaying
            ? t({ id: "visor.cine.pause", message: "Pause" })
            : t({ id: "visor.cine.play", message: "Play" })
        }
        onClick={() => cine.setPlaying(!isPlaying)}
      >
        {isPlaying ? <PauseIcon /> : <PlayIcon />}
      </button>
      <input
        type="range"
        className="visor-range"
        style={{ "--share": index / Math.max(1, count - 1) }}
        min={0}
        max={count - 1}
        value={index}
        aria-label={t({ id: "visor.cine.frame", message: "Frame" })}
        onChange={(event) => {
          cine.setPlaying(false);
          onSeek(Number(event.currentTarget.value));
        }}
      />
      <span className="visor-place">
        {index + 1}/{count}
      </span>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset does not lay out as a row in every browser */}
      <div className="visor-rate" role="group" aria-label={t({ id: "visor.cine.rate", message: "Speed" })}>
        <button
          type="button"
          aria-label={t({ id: "visor.cine.slower", message: "Slower" })}
          onClick={() => cine.setRate(rate - (rate > 10 ? 2 : 1))}
        >
          <MinusIcon small />
        </button>
        <span>
          <Trans id="visor.cine.fps">{rate} fps</Trans>
        </span>
        <button
          type="button"
          aria-label={t({ id: "visor.cine.faster", message: "Faster" })}
          onClick={() => cine.setRate(rate + (rate >= 10 ? 2 : 1))}
        >
          <PlusIcon small />
        </button>
      </div>
    </div>
  );
}
