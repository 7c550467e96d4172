import { Trans, useLingui } from "@lingui/react/macro";
import { useAtomValue } from "jotai";
import { type RefObject, useEffect, useMemo, useState } from "react";
import type { Visit, VisitedStudy } from "../../../shared/api/links.ts";
import { viewerChoiceAtom } from "../../preferences.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { ModalityChip } from "../../ui/chip.tsx";
import { DownloadIcon, FileTextIcon, MaximizeIcon } from "../../ui/icons.tsx";
import { WholeDates } from "../../ui/text/whole-dates.tsx";
import { savesData, whenIdle } from "../../ui/when-idle.ts";
import { modalityCodes } from "../studies/modality-names.ts";
import {
  contentText,
  dateText,
  descriptionText,
  fullPatientText,
  imageCountOf,
  isViewable,
} from "../studies/study-text.ts";
import { loadVisor } from "../viewer/lazy-visor.tsx";
import { opensDocument } from "../viewer/viewer-choice.tsx";
import { visitAddresses, visitApi } from "./visit-api.ts";
import { createVisitedSource, type VisitedSource } from "./visited-source.ts";
import { VisitedViewer } from "./visited-viewer.tsx";

/** The most series that are shown as films. */
const MAX_FILMS = 24;

interface StudyProps {
  study: VisitedStudy;
  visit: Visit;
  viewerOrigin: string;
  /** Whether it names its patient, because the link has exams of several. */
  isNamed: boolean;
  onRead: () => void;
  /** Set for the exam whose report was read last: its button takes the focus back. */
  reportButton: RefObject<HTMLButtonElement | null> | undefined;
  /** The link was ended meanwhile. */
  onClosed: () => void;
  /** Told what the visit is now, while its images are viewed. */
  onVisitRead: (visit: Visit) => void;
}

/** The link's first exam. */
export function MainStudy(props: StudyProps) {
  const { study, visit, isNamed, onRead, reportButton } = props;
  const { i18n, t } = useLingui();
  const { token } = visit;
  return (
    <article className="visit-main">
      <div className="visit-film">
        <Picture address={visitAddresses.picture(token, study.id)} />
        {/* Over the small picture, once it is there. */}
        {!savesData() && <Picture address={visitAddresses.preview(token, study.id)} />}
        <span>{dateText(i18n, study.studyDate)}</span>
        <span>{i18n.number(imageCountOf(study) || study.imagesReceived)}</span>
      </div>
      <div className="visit-facts">
        <div>
          <h2>{descriptionText(i18n, study)}</h2>
          {isNamed && <p className="visit-patient">{fullPatientText(i18n, study)}</p>}
          <p className="visit-line">
            <Modalities study={study} />
            <span>
              <WholeDates>
                {[dateText(i18n, study.studyDate), study.institutionName].filter(Boolean).join(" · ")}
              </WholeDates>
            </span>
          </p>
        </div>
        <ul className="visit-series" aria-label={t({ id: "exam.series", message: "Series" })}>
          {study.series.slice(0, MAX_FILMS).map(({ id, seriesDescription, imagesReceived }) => (
            <li key={id} className="film is-large" title={seriesDescription ?? undefined}>
              <Picture address={visitAddresses.seriesPicture(token, study.id, id)} />
              <span>{i18n.number(imagesReceived)}</span>
            </li>
          ))}
        </ul>
        <div className="visit-actions">
          <ViewButton {...props} isMain />
          {study.laudo && (
            <Button size="big" ref={reportButton} onClick={onRead}>
              <FileTextIcon small />
              <Trans id="report.title">Report</Trans>
            </Button>
          )}
          {visit.download && (
            <a className={buttonClass({ size: "big" })} href={visitAddresses.download(token, study.id)}>
              <DownloadIcon small />
              <Trans id="pdf.download">Download</Trans>
            </a>
          )}
        </div>
      </div>
    </article>
  );
}

/** Another exam of the link. */
export function OtherStudy(props: StudyProps) {
  const { study, visit, isNamed, onRead, reportButton } = props;
  const { i18n, t } = useLingui();
  const description = descriptionText(i18n, study);
  return (
    <li>
      <span className="film is-large">
        <Picture address={visitAddresses.picture(visit.token, study.id)} />
      </span>
      <div>
        <b>{description}</b>
        {isNamed && <p className="visit-patient">{fullPatientText(i18n, study)}</p>}
        <p className="visit-line">
          <Modalities study={study} />
          <span>
            <WholeDates>{`${dateText(i18n, study.studyDate)} · ${contentText(i18n, study)}`}</WholeDates>
          </span>
        </p>
      </div>
      {study.laudo && (
        <Button
          ref={reportButton}
          aria-label={t({ id: "visit.reportOf", message: `Report of ${description}` })}
          onClick={onRead}
        >
          <Trans id="report.title">Report</Trans>
        </Button>
      )}
      {visit.download && (
        <a
          className={buttonClass({})}
          aria-label={t({ id: "visit.downloadOf", message: `Download ${description}` })}
          href={visitAddresses.download(visit.token, study.id)}
        >
          <DownloadIcon small />
        </a>
      )}
      <ViewButton {...props} />
    </li>
  );
}

interface ViewButtonProps extends StudyProps {
  isMain?: boolean;
}

function ViewButton(props: ViewButtonProps) {
  if (isViewable(props.study)) return <OpenButton {...props} />;
  return (
    <span className="field-hint">
      <Trans id="visit.notReady">Being moved to secure storage</Trans>
    </span>
  );
}

/** Opens our own viewer over the page, or OHIF for people who chose it. */
function OpenButton({ isMain = false, study, visit, viewerOrigin, onClosed, onVisitRead }: ViewButtonProps) {
  const { i18n, t } = useLingui();
  const [isOpen, setOpen] = useState(false);
  const isOfDocuments = opensDocument(study);
  const prefersOhif = useAtomValue(viewerChoiceAtom) === "ohif";
  const isInOhif = prefersOhif && !isOfDocuments;
  const source = useMemo(
    () =>
      createVisitedSource(visit, study, {
        viewerOrigin,
        firstImage: visitApi.firstImage(visit.token, study.id),
      }),
    [visit, study, viewerOrigin],
  );
  useWarmImages(source, isMain && !prefersOhif);
  const description = descriptionText(i18n, study);
  const open = () => {
    if (!isInOhif) {
      loadVisor()
        .then(({ beginVisor }) => beginVisor(source, study.studyInstanceUID))
        .catch(() => undefined);
    }
    setOpen(true);
  };
  return (
    <>
      {isMain ? (
        <Button kind="lit" size="big" onClick={open}>
          <MaximizeIcon small />
          {isOfDocuments ? (
            <Trans id="visit.seeDocuments">View documents</Trans>
          ) : (
            <Trans id="visit.seeImages">View images</Trans>
          )}
        </Button>
      ) : (
        <Button
          onClick={open}
          aria-label={
            isOfDocuments
              ? t({ id: "visit.seeDocumentsOf", message: `View documents of ${description}` })
              : t({ id: "visit.seeOf", message: `View images of ${description}` })
          }
        >
          <Trans id="visit.see">View</Trans>
        </Button>
      )}
      {isOpen && (
        <VisitedViewer
          study={study}
          visit={visit}
          viewerOrigin={viewerOrigin}
          source={source}
          onClosed={onClosed}
          onRead={onVisitRead}
          first={isInOhif ? "ohif" : "visor"}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}

/** Loads what the study's first image needs: people open a link to see it. */
function useWarmImages(source: VisitedSource, isWanted: boolean): void {
  useEffect(() => {
    if (!isWanted || savesData()) return;
    void source.warm();
    return whenIdle(() => {
      loadVisor()
        .then(({ warmVisor }) => warmVisor())
        .catch(() => undefined);
    });
  }, [isWanted, source]);
}

function Modalities({ study }: { study: VisitedStudy }) {
  return modalityCodes(study.modality).map((code) => <ModalityChip key={code} modality={code} />);
}

/** A small picture; an unexposed film while there is none. */
function Picture({ address }: { address: string }) {
  const [isMissing, setMissing] = useState(false);
  return isMissing ? null : <img src={address} alt="" decoding="async" onError={() => setMissing(true)} />;
}
