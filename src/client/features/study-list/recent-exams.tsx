import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useSetAtom } from "jotai";
import type { Study } from "../../../shared/api/studies.ts";
import { mayRetry } from "../../query-client.ts";
import { STUDIES } from "../../query-keys.ts";
import { FileTextIcon } from "../../ui/icons.tsx";
import { viewAtom } from "../places/views.ts";
import { pollWhileMoving } from "../studies/poll-while-moving.ts";
import { studiesApi } from "../studies/studies-api.ts";
import { dateText, descriptionText, isViewable } from "../studies/study-text.ts";
import { usePicture } from "../studies/use-picture.ts";
import { shownStudyAtom } from "../viewer/shown-study.ts";
import { RecentPlace } from "./recent-place.tsx";
import { NewMark } from "./study-order.tsx";

const SHOWN = 4;

/** The exams that came last, as films on the home view: one press opens the images. */
export default function RecentExams() {
  const setView = useSetAtom(viewAtom);
  const query = { limit: SHOWN, sort: "createdAt", order: "desc" } as const;
  const { data, error } = useQuery({
    queryKey: [STUDIES, "recent"],
    queryFn: ({ signal }) => studiesApi.list(query, signal),
    retry: mayRetry,
    refetchInterval: pollWhileMoving,
  });
  // The list itself says what failed.
  if (error || data?.total === 0) return null;
  if (!data) return <RecentPlace />;
  return (
    <section className="recent" aria-labelledby="recent-title">
      <div className="recent-head">
        <h2 id="recent-title">
          <Trans id="home.recent">Recent</Trans>
        </h2>
        <button type="button" className="link" onClick={() => setView("listaExames")}>
          <Plural id="home.seeAll" value={data.total} one="See the exam" other="See all # exams" />
        </button>
      </div>
      <ul className="recent-films">
        {data.studies.map((study) => (
          <RecentExam key={study.id} study={study} />
        ))}
      </ul>
    </section>
  );
}

function RecentExam({ study }: { study: Study }) {
  const { i18n } = useLingui();
  const show = useSetAtom(shownStudyAtom);
  const setView = useSetAtom(viewAtom);
  const picture = usePicture({ study, imagesReceived: study.imagesReceived, isSeen: true });
  const origin = study.ownerName ?? study.institutionName;
  return (
    <li className="recent-exam">
      <button type="button" onClick={() => (isViewable(study) ? show(study) : setView("listaExames"))}>
        <span className="recent-film">
          {picture && <img src={picture} alt="" decoding="async" />}
          <span>{dateText(study.studyDate)}</span>
          <span className="recent-film-foot">
            <span>
              {study.laudo && (
                <>
                  <FileTextIcon small />
                  <span className="sr-only">
                    <Trans id="home.hasReport">With report</Trans>
                  </span>
                </>
              )}
            </span>
            <span>{i18n.number(study.imagesReceived)}</span>
          </span>
        </span>
        <b>{descriptionText(i18n, study)}</b>
      </button>
      <span className="recent-origin">
        <NewMark study={study} />
        {origin}
      </span>
    </li>
  );
}
