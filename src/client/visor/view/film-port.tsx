import { Trans, useLingui } from "@lingui/react/macro";
import { type ReactNode, useEffect, useState } from "react";
import { laterChunk } from "../../ui/lazy-chunk.ts";
import { MAX_MEASURES } from "../core/measures.ts";
import { edgesOf, type Side } from "../core/orientation.ts";
import { hasOverlays } from "../core/overlays.ts";
import { Crosshair } from "./crosshair.tsx";
import { Film } from "./film.tsx";
import { MeasureLayer } from "./measure-layer.tsx";
import { hasProblem, Problem } from "./problem.tsx";
import { SliceSlider } from "./slice-slider.tsx";
import { isFilm, type Visor } from "./use-visor.ts";
import { isMeasuring } from "./view-settings.ts";
import { sideLetters } from "./visor-texts.ts";

/** Few images have any. */
const OverlayLayer = laterChunk(async () => ({
  default: (await import("./overlay-layer.tsx")).OverlayLayer,
}));

interface FilmPortProps {
  visor: Visor;
  /** Name of the image for a screen reader, where there are two. */
  label?: string;
  preview: string | undefined;
  areSidesShown: boolean;
  /** What is written over the film. */
  children?: ReactNode;
}

/** The film with what is written over it. */
export function FilmPort({ visor, label, preview, areSidesShown, children }: FilmPortProps) {
  const { canvas, shown, stack, index, state, settings, placement, ready, readBulkData } = visor;
  const { t } = useLingui();
  const [wasDrawn, setDrawn] = useState(false);
  useEffect(() => {
    if (shown) setDrawn(true);
  }, [shown]);
  const count = stack?.slices.length ?? 0;
  const isProblem = hasProblem(visor);
  const areOverlaysShown = areSidesShown && !settings.areOverlaysHidden && !visor.failure;
  const hasLayer =
    areOverlaysShown && shown && placement && readBulkData && hasOverlays(shown.slice.metadata);
  return (
    <div className="visor-port" aria-busy={!isProblem && (state.phase === "opening" || !shown)}>
      <Film
        label={label ?? t({ id: "visor.image", message: "Image of the exam" })}
        shown={visor.failure ? undefined : shown}
        isCoarse={visor.isCoarse}
        settings={settings}
        isStack={count > 1}
        onGesture={visor.onGesture}
        onSized={visor.resize}
        onPlaced={visor.setPlacement}
        canvas={canvas}
      />
      {!wasDrawn && !isProblem && preview && <img className="visor-preview" src={preview} alt="" />}
      {hasLayer && (
        <OverlayLayer
          slice={shown.slice}
          image={shown.picture.frame}
          placement={placement}
          read={readBulkData}
          canvas={visor.overlays}
        />
      )}
      {shown && placement && !visor.failure && (
        <MeasureLayer
          measures={visor.crosshair.seen}
          shown={shown}
          isCoarse={visor.isCoarse}
          placement={placement}
        />
      )}
      {isMeasuring(settings.tool) && !visor.failure && <Crosshair visor={visor} />}
      <MeasureRefusal visor={visor} />
      {areSidesShown && <Sides visor={visor} />}
      {children}
      {stack?.isCut && (
        <p className="visor-cut" role="status">
          <Trans id="visor.cut">Only the first {count} images are shown</Trans>
        </p>
      )}
      <Problem visor={visor} />
      {stack && !isFilm(stack) && (
        <SliceSlider
          index={index}
          count={count}
          loaded={(ready + visor.failed.length) / Math.max(1, count)}
          failed={visor.failed}
          onSeek={visor.model.seek}
        />
      )}
    </div>
  );
}

/** Says why a measure was not drawn. */
function MeasureRefusal({ visor: { refused, shown, slice } }: { visor: Visor }) {
  const isWaiting = refused?.why === "waiting" && !shown && refused.sliceKey === slice?.key;
  return (
    <div role="status">
      {refused?.why === "full" && (
        <p className="visor-hint">
          <Trans id="visor.measure.full">
            There are {MAX_MEASURES} measurements. Remove one to make another.
          </Trans>
        </p>
      )}
      {isWaiting && (
        <p className="visor-hint">
          <Trans id="visor.measure.waiting">The image is still on its way. Measure once it is here.</Trans>
        </p>
      )}
    </div>
  );
}

function Sides({ visor: { slice, shown, settings } }: { visor: Visor }) {
  const { i18n } = useLingui();
  const directions = slice?.geometry.directions;
  if (!directions || !shown) return null;
  const { left, top } = edgesOf(directions, settings.turn);
  const letters = (sides: Side[]) => sides.map((side) => i18n._(sideLetters[side])).join("");
  return (
    <>
      <span className="visor-side is-left">{letters(left)}</span>
      <span className="visor-side is-top">{letters(top)}</span>
    </>
  );
}
