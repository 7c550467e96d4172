import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { useAtomValue } from "jotai";
import { Suspense, useEffect, useRef, useState } from "react";
import type { Visit, VisitedStudy } from "../../../shared/api/links.ts";
import { mayKeepVisit } from "../../../shared/rules/may-keep-visit.ts";
import { failureText } from "../../calls/failure-text.ts";
import { sessionAtom } from "../../session.ts";
import { lazyChunk } from "../../ui/lazy-chunk.ts";
import { dayText } from "../../ui/text/moment-text.ts";
import { showToast } from "../../ui/toast.tsx";
import { keepLink } from "../session/kept-link.ts";
import { dateText, descriptionText, fullPatientText, patientsText } from "../studies/study-text.ts";
import { Opening } from "./opening.tsx";
import { visitApi } from "./visit-api.ts";
import { isOfSamePatient } from "./visited-patient.ts";
import { MainStudy, OtherStudy } from "./visited-study.tsx";

/** What draws PDF files is larger than all else on the page together. */
const VisitedReport = lazyChunk(() => import("./visited-report.tsx"));

interface VisitedExamsProps {
  visit: Visit;
  viewerOrigin: string;
  onClosed: () => void;
}

/** The exams of a link: the first as a film with its series, the others as rows. If they are of several patients, each names its own. */
export function VisitedExams({ visit, viewerOrigin, onClosed }: VisitedExamsProps) {
  const { i18n } = useLingui();
  const [report, setReport] = useState<{ study: VisitedStudy; isOpen: boolean }>();
  const { gone, onVisitRead } = useGoneStudies(visit, onClosed);
  const studies = visit.studies.filter((study) => !gone.includes(study));
  const [main, ...others] = studies;
  const isReading = report?.isOpen === true;
  const reportButton = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    // The button that had the focus went with the exams.
    if (!isReading) reportButton.current?.focus();
  }, [isReading]);
  if (isReading)
    return (
      <Suspense fallback={<Opening />}>
        <VisitedReport
          visit={visit}
          study={report.study}
          onBack={() => setReport({ ...report, isOpen: false })}
          onClosed={onClosed}
        />
      </Suspense>
    );
  if (!main) return null;
  const { owner, recipient, expiresAt } = visit;
  const areOfSeveral = others.some((other) => !isOfSamePatient(main, other));
  const patient = areOfSeveral ? patientsText(i18n, studies) : fullPatientText(i18n, main);
  const until = dayText(expiresAt);
  const shown = (study: VisitedStudy) => ({
    study,
    visit,
    viewerOrigin,
    isNamed: areOfSeveral,
    onClosed,
    onVisitRead,
    onRead: () => setReport({ study, isOpen: true }),
    reportButton: report?.study === study ? reportButton : undefined,
  });
  return (
    <>
      <div className="visit-head">
        <h1>
          <Trans id="visit.title">Exams of {patient}</Trans>
        </h1>
        <p>
          {recipient ? (
            <Trans id="visit.sharedWith">
              Shared by {owner} with <b>{recipient}</b> until {until}.
            </Trans>
          ) : (
            <Trans id="visit.shared">
              Shared by {owner} until {until}.
            </Trans>
          )}
        </p>
      </div>
      {visit.studiesRemoved !== undefined && <RemovedBefore count={visit.studiesRemoved} />}
      {gone.map((study) => (
        <GoneStudy key={study.id} study={study} />
      ))}
      <MainStudy key={main.id} {...shown(main)} />
      {others.length > 0 && (
        <section className="visit-others">
          <h2>
            {areOfSeveral ? (
              <Trans id="visit.others">Other exams</Trans>
            ) : (
              <Trans id="visit.compare">To compare</Trans>
            )}
          </h2>
          <ul>
            {others.map((study) => (
              <OtherStudy key={study.id} {...shown(study)} />
            ))}
          </ul>
        </section>
      )}
      <p className="visit-note">
        <Trans id="viewer.notForDiagnosis">Not for primary diagnosis</Trans>.{" "}
        {!visit.download && <Trans id="visit.noDownload">This link does not allow downloads.</Trans>}{" "}
        {visit.laudo && <KeepVisit visit={visit} />}
      </p>
    </>
  );
}

/** The exams that were removed since the link was opened, as a later reading of the visit tells. */
function useGoneStudies({ studies }: Visit, onClosed: () => void) {
  const [left, setLeft] = useState<readonly string[]>();
  const gone = left ? studies.filter(({ id }) => !left.includes(id)) : [];
  const onVisitRead = ({ studies: now }: Visit) => {
    if (now.length === 0) return onClosed();
    if (now.length < studies.length) setLeft(now.map(({ id }) => id));
  };
  return { gone, onVisitRead };
}

/** What the link had and was removed before it was opened: visitors never learn what it was. */
function RemovedBefore({ count }: { count: number }) {
  return (
    <p className="notice is-warn" role="status">
      <span>
        <Plural
          id="visit.removedBefore"
          value={count}
          one="The sender removed # exam from this link."
          other="The sender removed # exams from this link."
        />
      </span>
    </p>
  );
}

function GoneStudy({ study }: { study: VisitedStudy }) {
  const { i18n } = useLingui();
  const exam = `${descriptionText(i18n, study)}, ${dateText(i18n, study.studyDate)}`;
  return (
    <p className="notice is-warn" role="status">
      <span>
        <Trans id="visit.gone">The sender removed this exam: {exam}.</Trans>
      </span>
    </p>
  );
}

/** Somebody with an account can have the exams in their own list, as far as the link lets them. */
function KeepVisit({ visit }: { visit: Visit }) {
  const { t } = useLingui();
  const session = useAtomValue(sessionAtom);
  const keep = useMutation({
    mutationFn: () => visitApi.keep(visit.token),
    onSuccess: () =>
      showToast({
        tone: "ok",
        title: t({ id: "visit.kept", message: "The exams are in your list" }),
        text: t({ id: "visit.kept.text", message: "The owner sees that, and can end your access." }),
      }),
    onError: (error) =>
      showToast({
        tone: "bad",
        title: t({ id: "visit.keepFailed", message: "The exams were not kept" }),
        text: failureText(error),
      }),
  });
  if (!session)
    return (
      <Trans id="visit.signIn">
        Are you a doctor with an account?{" "}
        <a className="link" href="/" onClick={() => keepLink(window.location, Date.now())}>
          Log in
        </a>{" "}
        to keep the exams; you come back to this page.
      </Trans>
    );
  // A session that an earlier visit left has no user here yet: the server decides.
  if (session.user && !mayKeepVisit(visit, session.user.role))
    return <Trans id="visit.keep.professionals">Only doctors and laboratories can keep its exams.</Trans>;
  return (
    <button
      type="button"
      className="link"
      disabled={keep.isPending || keep.isSuccess}
      onClick={() => keep.mutate()}
    >
      <Trans id="visit.keep">Keep in my exams</Trans>
    </button>
  );
}
