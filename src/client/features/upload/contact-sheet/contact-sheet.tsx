import type { FilmGreys } from "../look-inside/contents.ts";
import { type FilmFile, FRAMES } from "./film-files.ts";
import { SmallFilm } from "./small-film.tsx";
import { useFilms } from "./use-films.ts";

/** The sheet fills frame by frame as the upload advances, with the exam's own pictures if they could be drawn. */
export function ContactSheet({ percent, films }: { percent: number; films?: FilmFile[][] }) {
  return <SheetFrames percent={percent} films={useFilms(films)} />;
}

interface SheetFramesProps {
  percent: number;
  /** The pictures by frame; shown once their frame is reached. */
  films: ReadonlyMap<number, FilmGreys>;
  isOneRow?: boolean;
}

/** The frames of a sheet, as far as they are exposed. */
export function SheetFrames({ percent, films, isOneRow = false }: SheetFramesProps) {
  const exposed = Math.floor((percent / 100) * FRAMES);
  return (
    <div className={`contact-sheet ${isOneRow ? "is-one-row" : ""}`} aria-hidden="true">
      {Array.from({ length: FRAMES }, (_, frame) => {
        const isNow = frame === exposed && percent > 0;
        const className = frame < exposed ? "is-exposed" : isNow ? "is-now" : "";
        const film = frame < exposed || isNow ? films.get(frame) : undefined;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the frames are places and never move
          <i key={frame} className={className}>
            {film && <SmallFilm greys={film} />}
          </i>
        );
      })}
    </div>
  );
}
