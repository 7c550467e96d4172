import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useAtomValue } from "jotai";
import type { Study } from "../../../shared/api/studies.ts";
import { mayRetry } from "../../query-client.ts";
import { STUDIES } from "../../query-keys.ts";
import { newStudiesAtom } from "../studies/new-studies.ts";
import { pollWhileMoving } from "../studies/poll-while-moving.ts";
import { type StudyPage, studiesApi } from "../studies/studies-api.ts";
import { AllExams } from "./all-exams.tsx";
import { FilmCard } from "./film-card.tsx";
import { HomeSection } from "./home-panel.tsx";
import { FilmPlaces } from "./home-place.tsx";
import { readAgainAfterFailure } from "./read-again.ts";

const SHOWN = 4;

/** The person's own exams that came last. */
export function useRecentStudies({ enabled }: { enabled: boolean }) {
  const query = { limit: SHOWN, sort: "createdAt", order: "desc", whose: "own" } as const;
  return useQuery({
    queryKey: [STUDIES, "recent"],
    queryFn: ({ signal }) => studiesApi.list(query, signal),
    enabled,
    retry: mayRetry,
    refetchInterval: (read) => readAgainAfterFailure(read) || pollWhileMoving(read),
  });
}

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
