/** The room that {@link RecentExams} takes: what is below must not move away from a finger when they come. */
export function RecentPlace() {
  return (
    <section className="recent" aria-hidden="true">
      <div className="recent-head">
        <h2>{NOTHING}</h2>
      </div>
      <ul className="recent-films">
        {PLACES.map((place) => (
          <li key={place} className="recent-exam">
            <span className="recent-film skeleton" />
            <b>{NOTHING}</b>
            <span className="recent-origin">{NOTHING}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** As high as a line of text. */
const NOTHING = "\u00a0";
const PLACES = [1, 2, 3, 4];
