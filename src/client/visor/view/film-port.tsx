import { Trans, useLingui } from "@lingui/react/macro";
import { type ReactNode, useEffect, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { edgesOf, type Side } from "../core/orientation.ts";
import { Film } from "./film.tsx";
import { ImageIcon } from "./icons.ts";
import { MeasureLayer } from "./measure-layer.tsx";
import { SliceSlider } from "./slice-slider.tsx";
import { isFilm, type Visor } from "./use-visor.ts";
import { sideLetters } from "./visor-texts.ts";

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
  const { canvas, shown, stack, index, state, settings, placement, ready } = visor;
  const { t } = useLingui();
  const [wasDrawn, setDrawn] = useState(false);
  useEffect(() => {
    if (shown) setDrawn(true);
  }, [shown]);
  const count = stack?.slices.length ?? 0;
  return (
    <div className="visor-port" aria-busy={state.phase === "opening" || (!shown && !visor.failure)}>
      <Film
        label={label ?? t({ id: "visor.image", message: "Image of the exam" })}
        shown={visor.failure ? undefined : shown}
        isCoarse={visor.isCoarse}
        settings={settings}
        isStack={count > 1}
        onGesture={visor.onGesture}
        onPlaced={visor.setPlacement}
        canvas={canvas}
      />
      {!wasDrawn && preview && <img className="visor-preview" src={preview} alt="" />}
      {shown && placement && !visor.failure && (
        <MeasureLayer measures={visor.measures} shown={shown} placement={placement} />
      )}
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

function Sides({ visor: { slice, shown, settings } }: { visor: Visor }) {
  const { i18n } = useLingui();
  const plane = slice?.geometry.plane;
  if (!plane || !shown) return null;
  const { left, top } = edgesOf(plane, settings.turn);
  const letters = (sides: Side[]) => sides.map((side) => i18n._(sideLetters[side])).join("");
  return (
    <>
      <span className="visor-side is-left">{letters(left)}</span>
      <span className="visor-side is-top">{letters(top)}</span>
    </>
  );
}

function Problem({ visor }: { visor: Visor }) {
  const { state, failure, stack, index, failed } = visor;
  const number = index + 1;
  const others = (stack?.slices.length ?? 0) - failed.length;
  if (state.phase === "empty") {
    return (
      <div className="visor-problem" role="status">
        <b>
          <Trans id="visor.empty">This exam has no images to show.</Trans>
        </b>
      </div>
    );
  }
  if (state.phase === "failed" || state.phase === "ended") {
    return (
      <div className="visor-problem" role="alert">
        <b>
          {state.phase === "ended" ? (
            <Trans id="visor.ended">Access to this exam has ended</Trans>
          ) : (
            <Trans id="visor.failed">The exam could not be opened</Trans>
          )}
        </b>
        {state.phase === "failed" && visor.study && (
          <Button onClick={() => visor.study && void visor.model.open(visor.study.studyInstanceUID)}>
            <Trans id="action.retry">Try again</Trans>
          </Button>
        )}
      </div>
    );
  }
  // While the first image stands alone, its place is unknown: its stack reports the failure later.
  if (!failure || stack?.isBegun) return null;
  return (
    <div className="visor-problem" role="alert">
      <span className="visor-missing">
        <ImageIcon />
      </span>
      <b>
        {failure === "lost" || failure === "ended" ? (
          <Trans id="visor.lost">Image {number} did not arrive</Trans>
        ) : (
          <Trans id="visor.unreadable">Image {number} can't be shown here</Trans>
        )}
      </b>
      <p>
        {failure === "lost" ? (
          <Trans id="visor.lost.text">The other {others} are here. The stored file is intact.</Trans>
        ) : (
          <Trans id="visor.unreadable.text">
            Its data are damaged or of a rare kind. The stored file is unchanged.
          </Trans>
        )}
      </p>
      <Button onClick={visor.retry}>
        <Trans id="action.retry">Try again</Trans>
      </Button>
    </div>
  );
}
