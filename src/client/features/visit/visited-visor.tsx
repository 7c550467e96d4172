import type { I18n } from "@lingui/core";
import { useLingui } from "@lingui/react/macro";
import { useMemo } from "react";
import type { Visit, VisitedStudy } from "../../../shared/api/links.ts";
import type { StackSource } from "../../visor/core/source.ts";
import type { ComparedExam } from "../../visor/view/visor-props.ts";
import { orderComparable } from "../viewer/comparable-studies.ts";
import { describeStudy } from "../viewer/describe-study.ts";
import { Laudo, LazyVisor } from "../viewer/lazy-visor.tsx";
import { useVisitEnd } from "./use-visit-end.ts";
import { visitAddresses, visitApi } from "./visit-api.ts";
import { isOfSamePatient } from "./visited-patient.ts";
import { createVisitedSource } from "./visited-source.ts";

interface VisitedVisorProps {
  study: VisitedStudy;
  visit: Visit;
  viewerOrigin: string;
  source: StackSource;
  onOpenOhif: () => void;
  onBack: () => void;
  /** The link was ended meanwhile. */
  onClosed: () => void;
  onRead: (visit: Visit) => void;
}

/** A study of a link in our own viewer. */
export function VisitedVisor(props: VisitedVisorProps) {
  const { study, visit, viewerOrigin, source, onOpenOhif, onBack, onClosed, onRead } = props;
  const { i18n } = useLingui();
  const { token } = visit;
  useVisitEnd(token, { onEnd: onClosed, onRead, known: visit });
  const exam = useMemo(
    () => visitedExam(i18n, study, { visit, viewerOrigin }),
    [i18n, study, visit, viewerOrigin],
  );
  const ofPatient = visit.studies.filter((other) => isOfSamePatient(study, other));
  const findOthers = async () =>
    orderComparable(study, ofPatient).map((other) => visitedExam(i18n, other, { visit, viewerOrigin }));
  return (
    <LazyVisor
      {...exam}
      source={source}
      studies={[exam]}
      preview={visitAddresses.preview(token, study.id)}
      findOthers={ofPatient.length > 1 ? findOthers : undefined}
      onDownload={
        visit.download ? () => window.location.assign(visitAddresses.download(token, study.id)) : undefined
      }
      onOpenOhif={onOpenOhif}
      onBack={onBack}
      onEnded={onClosed}
    />
  );
}

/** A study of the visit as the visor shows it. */
function visitedExam(
  i18n: I18n,
  study: VisitedStudy,
  { visit, viewerOrigin }: Pick<VisitedVisorProps, "visit" | "viewerOrigin">,
): ComparedExam {
  const { token } = visit;
  return {
    ...describeStudy(i18n, study),
    open: () => createVisitedSource(visit, study, { viewerOrigin }),
    seriesPicture: ({ seriesInstanceUID }) => (
      <img src={visitAddresses.seriesPicture(token, study.id, seriesInstanceUID)} alt="" />
    ),
    laudo: study.laudo
      ? { render: () => <Laudo id={study.id} read={() => visitApi.report(token, study.id)} /> }
      : undefined,
    documentName: visit.download ? [describeStudy(i18n, study).title, study.studyDate] : undefined,
  };
}
