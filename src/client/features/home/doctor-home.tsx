import { Trans, useLingui } from "@lingui/react/macro";
import { useSetAtom } from "jotai";
import { type FormEvent, useState } from "react";
import type { SharedStudy, SharedWithMe } from "../../../shared/api/shared-studies.ts";
import { Empty } from "../../ui/empty.tsx";
import { SearchIcon } from "../../ui/icons.tsx";
import { whenText } from "../../ui/text/when-text.ts";
import { viewAtom } from "../places/views.ts";
import { useHis } from "../session/his-context.ts";
import { descriptionText, fullPatientText } from "../studies/study-text.ts";
import { MAX_FILTER_LENGTH, noFilters, studyFiltersAtom } from "../study-list/filters/study-filters.ts";
import { StudyFilm } from "../study-list/show-images/study-film.tsx";
import { AllExams } from "./all-exams.tsx";
import { FilmCard } from "./film-card.tsx";
import { HomeHead } from "./home-head.tsx";
import { HomeSection } from "./home-panel.tsx";
import { HomePlace } from "./home-place.tsx";
import { PatientLine, SharedRow } from "./shared-row.tsx";
import { useSharedWithMe } from "./shared-with-me.ts";
import { useOpenStudy } from "./use-open-study.ts";
import { useSettled } from "./use-settled.ts";

/** A doctor's first view: exams that are new for them, those they have seen, and who asks for a report. */
export default function DoctorHome() {
  const shared = useSharedWithMe({ enabled: true });
  const isSettled = useSettled([shared]);
  return (
    <>
      <HomeHead>
        <PatientSearch />
      </HomeHead>
      {isSettled ? <SharedExams query={shared} /> : <HomePlace />}
    </>
  );
}

/** Searches the list, which opens with what was found. */
function PatientSearch() {
  const { t } = useLingui();
  const [text, setText] = useState("");
  const setFilters = useSetAtom(studyFiltersAtom);
  const setView = useSetAtom(viewAtom);
  const label = t({ id: "home.search", message: "Search patient" });
  const search = (event: FormEvent) => {
    event.preventDefault();
    setFilters({ ...noFilters, search: text.trim() });
    setView("listaExames");
  };
  return (
    <search className="home-search">
      <form onSubmit={search}>
        <SearchIcon small />
        <input
          className="input"
          type="search"
          enterKeyHint="search"
          aria-label={label}
          placeholder={label}
          maxLength={MAX_FILTER_LENGTH}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      </form>
    </search>
  );
}

type SharedQuery = ReturnType<typeof useSharedWithMe>;

function SharedExams({ query }: { query: SharedQuery }) {
  const { t } = useLingui();
  if (query.data?.total === 0) return <NothingShared />;
  return (
    <div className="home">
      <div className="home-main">
        <FreshWall query={query} />
        {(query.data === undefined || query.data.seen.length > 0) && <SeenList query={query} />}
      </div>
      <aside className="home-side" aria-label={t({ id: "home.sharedSide", message: "Reports and access" })}>
        {query.data && query.data.awaiting.length > 0 && <AwaitingPanel query={query} />}
        <p className="home-hint">
          <Trans id="home.sharedHint">Who shares an exam decides for how long you see it.</Trans>
        </p>
      </aside>
    </div>
  );
}

function NothingShared() {
  const { email } = useHis().user;
  return (
    <Empty
      title={<Trans id="home.nothingShared">No exam is shared with you yet</Trans>}
      text={
        <Trans id="home.nothingShared.text">
          Give your patients the e-mail of this account, {email}. What they share appears here.
        </Trans>
      }
    />
  );
}

function FreshWall({ query }: { query: SharedQuery }) {
  const { i18n } = useLingui();
  return (
    <HomeSection
      title={<Trans id="home.fresh">New for you</Trans>}
      count={query.data?.freshTotal}
      query={query}
      link={query.data && <AllExams total={query.data.total} />}
    >
      {({ fresh }: SharedWithMe) =>
        fresh.length === 0 ? (
          <p className="panel home-none">
            <Trans id="home.fresh.none">You have seen all that is shared with you.</Trans>
          </p>
        ) : (
          <ul className="film-wall is-wide">
            {fresh.map(({ study, sharedAt }) => (
              <FilmCard key={study.id} study={study} isNew>
                <PatientLine study={study} /> · {whenText(i18n, sharedAt)}
              </FilmCard>
            ))}
          </ul>
        )
      }
    </HomeSection>
  );
}

function SeenList({ query }: { query: SharedQuery }) {
  return (
    <HomeSection title={<Trans id="home.seen">Seen recently</Trans>} query={query}>
      {({ seen }: SharedWithMe) => (
        <ul className="panel home-rows">
          {seen.map((shared) => (
            <li key={shared.study.id}>
              <SharedRow study={shared.study}>
                <PatientLine study={shared.study} />
                <SeenWhen shared={shared} />
              </SharedRow>
            </li>
          ))}
        </ul>
      )}
    </HomeSection>
  );
}

function SeenWhen({ shared: { seenAt } }: { shared: SharedStudy }) {
  const { i18n } = useLingui();
  if (seenAt === null) return null;
  const when = whenText(i18n, seenAt);
  return (
    <>
      {" · "}
      <Trans id="home.seenWhen">seen {when}</Trans>
    </>
  );
}

/** Exams whose owner asks this doctor for a report. */
function AwaitingPanel({ query }: { query: SharedQuery }) {
  const { i18n } = useLingui();
  const open = useOpenStudy();
  return (
    <HomeSection title={<Trans id="home.awaiting">Awaiting your report</Trans>} query={query}>
      {({ awaiting }: SharedWithMe) => (
        <ul className="panel home-rows">
          {awaiting.map(({ study }) => (
            <li key={study.id}>
              <button type="button" className="home-row is-tight" onClick={() => open(study)}>
                <StudyFilm study={study} />
                <span className="home-row-text">
                  <b>{fullPatientText(i18n, study)}</b>
                  <span>
                    {descriptionText(i18n, study)} ·{" "}
                    <Trans id="home.awaiting.asked">asked for a report</Trans>
                  </span>
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </HomeSection>
  );
}
