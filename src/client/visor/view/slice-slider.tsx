import { useLingui } from "@lingui/react/macro";
import type { PointerEvent } from "react";

interface SliceSliderProps {
  index: number;
  count: number;
  /** Share of the images that have come, 0 to 1. */
  loaded: number;
  failed: number[];
  onSeek: (index: number) => void;
}

/** The slider at the edge: where in the stack one is, and how much of it has come. */
export function SliceSlider({ index, count, loaded, failed, onSeek }: SliceSliderProps) {
  const { t } = useLingui();
  if (count < 2) return null;
  const place = (at: number) => ({ top: `${(at / (count - 1)) * 100}%` });
  const seek = (event: PointerEvent<HTMLDivElement>) => {
    const { top, height } = event.currentTarget.getBoundingClientRect();
    onSeek(((event.clientY - top) / Math.max(1, height)) * (count - 1));
  };
  const number = index + 1;
  return (
    <div
      className="visor-slider"
      role="slider"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={t({ id: "visor.slider", message: "Image" })}
      aria-valuemin={1}
      aria-valuemax={count}
      aria-valuenow={number}
      aria-valuetext={t({ id: "visor.slider.value", message: `${number} of ${count}` })}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        seek(event);
      }}
      onPointerMove={(event) => event.currentTarget.hasPointerCapture(event.pointerId) && seek(event)}
    >
      <span className="visor-track">
        <span className="visor-loaded" style={{ height: `${loaded * 100}%` }} />
      </span>
      {failed.map((at) => (
        <span key={at} className="visor-mark" style={place(at)} />
      ))}
      <span className="visor-thumb" style={place(index)} />
      <span className="visor-number" style={place(index)}>
        {number}/{count}
      </span>
    </div>
  );
}
