import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import type { Series, Study } from "../../../../shared/api/studies.ts";
import { isOfDocuments } from "../../../../shared/dicom/modality.ts";
import { ApiError } from "../../../calls/api.ts";
import { mayRetry } from "../../../calls/query-client.ts";
import { refreshExams } from "../../../calls/query-keys.ts";
import { useFailure } from "../../../ui/hooks/use-failure.ts";
import { useSeen } from "../../../ui/hooks/use-seen.ts";
import { FileTextIcon } from "../../../ui/icons.tsx";
import { Skeleton } from "../../../ui/skeleton.tsx";
import { isStudyGone } from "../../studies/is-study-gone.ts";
import { studiesApi } from "../../studies/studies-api.ts";
import { isViewable } from "../../studies/study-text.ts";
import { usePicture } from "../../studies/use-picture.ts";
import { useOpenViewer } from "../show-images/use-open-viewer.ts";

const MAX_SKELETONS = 6;

/** The study's series as a strip of films. */
export function SeriesSheet({ study }: { study: Study }) {
  const { t } = useLingui();
  const query = useQuery({
    // The key is not below STUDIES: a refresh of the list must not request the series of a deleted study.
    queryKey: ["series", study.id, study.imagesReceived],
    queryFn: ({ signal }) => studiesApi.series(study.id, signal),
    retry: mayRetry,
  });
  const { data } = query;
  const error = useFailure(query);
  useGoneRow(error);
  if (error) return <SeriesError error={error} />;
  if (!data) return <SeriesSkeleton count={Math.min(study.seriesCount, MAX_SKELETONS)} />;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways, by the arrow keys too
    <ul className="series-sheet" tabIndex={0} aria-label={t({ id: "exam.series", message: "Series" })}>
      {data.map((series) => (
        <SeriesCard key={series.id} study={study} series={series} />
      ))}
    </ul>
  );
}

/** The row of a study that was deleted, or is no longer shared, leaves the list. */
function useGoneRow(error: Error | undefined): void {
  const queryClient = useQueryClient();
  const isGone = isStudyGone(error);
  useEffect(() => {
    if (isGone) void refreshExams(queryClient);
  }, [isGone, queryClient]);
}

function SeriesCard({ study, series }: { study: Study; series: Series }) {
  const { i18n, t } = useLingui();
  const { seriesInstanceUID, seriesNumber, seriesDescription, modality, imagesReceived } = series;
  const isDocument = isOfDocuments(modality);
  const [ref, isSeen] = useSeen<HTMLLIElement>();
  const picture = usePicture({ study, seriesId: series.id, imagesReceived, isSeen: isSeen && !isDocument });
  const open = useOpenViewer();
  const count = isDocument
    ? t({
        id: "series.documents",
        message: plural(imagesReceived, { one: "# document", other: "# documents" }),
      })
    : t({ id: "series.images", message: plural(imagesReceived, { one: "# image", other: "# images" }) });
  return (
    <li ref={ref} className="series-item">
      <button
        type="button"
        className="series-card"
        aria-disabled={!isViewable(study)}
        onClick={() => open(study, { seriesInstanceUID, isOfDocuments: isDocument })}
      >
        <span className="series-film">
          {picture && <img src={picture} alt={t({ id: "series.picture", message: "Image of the series" })} />}
          {isDocument && <FileTextIcon />}
          <span>{seriesNumber === null ? "—" : <Trans id="series.number">Se {seriesNumber}</Trans>}</span>
          <span>{i18n.number(imagesReceived)}</span>
        </span>
        <span className="series-caption">
          {seriesDescription ? (
            <b className="series-name" title={seriesDescription}>
              {seriesDescription}
            </b>
          ) : (
            <b className="series-name is-none">
              <Trans id="study.noDescription">No description</Trans>
            </b>
          )}
          <span className="series-facts">{[modality, count].filter(Boolean).join(" · ")}</span>
        </span>
      </button>
    </li>
  );
}

function SeriesError({ error }: { error: Error }) {
  const isSessionOver = error instanceof ApiError && error.status === 401;
  return (
    <p className="notice is-bad" role="alert">
      {isSessionOver ? (
        <Trans id="error.sessionExpired">Session expired. Please log in again.</Trans>
      ) : (
        <Trans id="series.failed">Error loading the study's series</Trans>
      )}
    </p>
  );
}

function SeriesSkeleton({ count }: { count: number }) {
  return (
    <div className="series-sheet" aria-busy="true">
      {Array.from({ length: count }, (_, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the places never move
        <Skeleton key={place} className="series-skeleton" />
      ))}
    </div>
  );
}

/** The identifiers by which other systems know the study. */
export function StudyIdentifiers({ study }: { study: Study }) {
  return (
    <dl className="study-identifiers">
      {study.accessionNumber && (
        <>
          <dt>
            <Trans id="exam.accessionNumber">Accession number</Trans>
          </dt>
          <dd className="mono">{study.accessionNumber}</dd>
        </>
      )}
      {study.patientID && (
        <>
          <dt>
            <Trans id="exam.patientID">Patient ID</Trans>
          </dt>
          <dd className="mono">{study.patientID}</dd>
        </>
      )}
      <dt>
        <Trans id="exam.studyUID">Study UID</Trans>
      </dt>
      <dd className="mono">{study.studyInstanceUID}</dd>
    </dl>
  );
}
