import { Skeleton } from "../../ui/skeleton.tsx";

const FILMS = [1, 2, 3, 4];
const ROWS = [1, 2, 3];
/** As high as a line of text. */
const NOTHING = "\u00a0";

/** The shape of a home that is being loaded: films, then rows. */
export function HomePlace() {
  return (
    <div className="home" aria-busy="true">
      <div className="home-main">
        <section>
          <PlaceHead />
          <FilmPlaces />
        </section>
        <section>
          <PlaceHead />
          <RowPlaces />
        </section>
      </div>
      <div className="home-side">
        <Skeleton shape="control" className="home-place-side" />
      </div>
    </div>
  );
}

function PlaceHead() {
  return (
    <div className="home-head-row">
      <Skeleton className="w-40" />
    </div>
  );
}

export function FilmPlaces() {
  return (
    <ul className="film-wall" aria-hidden="true">
      {FILMS.map((film) => (
        <li key={film} className="film-card">
          <span className="film-frame skeleton" />
          <b className="film-title">{NOTHING}</b>
          <span className="film-line">{NOTHING}</span>
        </li>
      ))}
    </ul>
  );
}

export function RowPlaces() {
  return (
    <ul className="panel home-rows" aria-hidden="true">
      {ROWS.map((row) => (
        <li key={row} className="home-row">
          <Skeleton shape="film" className="home-film" />
          <div className="home-row-text">
            <Skeleton className="my-1 w-48" />
            <Skeleton className="my-1 w-32" />
          </div>
        </li>
      ))}
    </ul>
  );
}
