import { Trans } from "@lingui/react/macro";
import { useAtomValue } from "jotai";
import type { Study } from "../../../shared/api/studies.ts";
import { newStudiesAtom } from "../studies/new-studies.ts";
import type { StudyPage } from "../studies/studies-api.ts";
import { AllExams } from "./all-exams.tsx";
import { FilmCard } from "./film-card.tsx";
import { HomeSection } from "./home-panel.tsx";
import { FilmPlaces } from "./home-place.tsx";
import type { useRecentStudies } from "./recent-studies.ts";

/** The exams that came last, as films. */
export function RecentWall({ query }: { query: ReturnType<typeof useRecentStudies> }) {
  const { ids } = useAtomValue(newStudiesAtom);
  return (
    <HomeSection
      title={<Trans id="home.recent">Recent</Trans>}
      query={query}
      place={<FilmPlaces />}
      link={query.data && <AllExams total={query.data.total} />}
    >
      {({ studies }: StudyPage) => (
        <ul className="film-wall">
          {studies.map((study: Study) => (
            <FilmCard key={study.id} study={study} isNew={ids.includes(study.id)}>
              {study.institutionName}
            </FilmCard>
          ))}
        </ul>
      )}
    </HomeSection>
  );
}
