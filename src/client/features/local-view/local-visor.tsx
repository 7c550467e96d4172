import { Trans, useLingui } from "@lingui/react/macro";
import { Dialog as RadixDialog } from "radix-ui";
import { Suspense, useEffect, useMemo, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { SmartphoneIcon } from "../../ui/icons.tsx";
import { lazyChunk } from "../../ui/lazy-chunk.ts";
import type { LocalExam, LocalStudy } from "../../visor/local/local-source.ts";
import {
  DrawnSeriesPicture,
  type SeriesDrawer,
  SeriesDrawerContext,
  startSeriesDrawer,
} from "../../visor/view/drawn-series.tsx";
import { localDocumentViews } from "../documents/lazy-document-views.ts";
import { nearestFirst } from "../studies/nearest-first.ts";
import { dateText, descriptionText, patientText } from "../studies/study-text.ts";
import { useHistoryStep } from "./use-history-step.ts";

const Visor = lazyChunk(() => import("../../visor/view/visor.tsx"));

interface LocalVisorProps {
  exam: LocalExam;
  /** Of the ZIP or folder. */
  name: string;
  onClose: () => void;
  onAnother?: (() => void) | undefined;
  keep?: { productName: string; onKeep: () => void } | undefined;
}

/** Exams of this device in our own viewer. */
export function LocalVisor({ exam, name, onClose, onAnother, keep }: LocalVisorProps) {
  const { i18n } = useLingui();
  const { studies } = exam.exams;
  const [shown, setShown] = useState(0);
  const study = studies[shown];
  const leave = useHistoryStep(onClose);
  const drawer = useSeriesDrawer(exam);
  const about = useMemo(() => study && textsOf(i18n, study, name), [i18n, study, name]);
  if (!study || !about) return null;
  const findOthers = async () => {
    const others = studies.filter((other) => other !== study).map((other) => ({ ...other, ...other.about }));
    return nearestFirst(study.about, others).map((other) => ({
      ...textsOf(i18n, other, name),
      open: () => exam.source,
      seriesPicture: DrawnSeriesPicture,
    }));
  };
  return (
    <RadixDialog.Root open onOpenChange={(open) => !open && leave()()}>
      <RadixDialog.Portal>
        <RadixDialog.Content className="local-visor" aria-describedby={undefined}>
          <RadixDialog.Title className="sr-only">{about.title}</RadixDialog.Title>
          <SeriesDrawerContext value={drawer}>
            <Suspense fallback={<div className="visor" data-theme="dark" aria-busy="true" />}>
              <Visor
                key={study.studyInstanceUID}
                source={exam.source}
                studies={[about]}
                documents={localDocumentViews}
                documentName={about.documentName}
                seriesPicture={DrawnSeriesPicture}
                findOthers={studies.length > 1 ? findOthers : undefined}
                localBar={
                  <LocalBar
                    exam={exam}
                    name={name}
                    shown={shown}
                    onShow={setShown}
                    keep={keep && { ...keep, onKeep: leave(keep.onKeep) }}
                  />
                }
                action={
                  onAnother && (
                    <Button size="small" className="visor-other" onClick={onAnother}>
                      <Trans id="local.another">Open another file</Trans>
                    </Button>
                  )
                }
                onBack={leave()}
              />
            </Suspense>
          </SeriesDrawerContext>
        </RadixDialog.Content>
      </RadixDialog.Portal>
    </RadixDialog.Root>
  );
}

function useSeriesDrawer({ exams, source }: LocalExam): SeriesDrawer | undefined {
  const [drawer, setDrawer] = useState<SeriesDrawer>();
  useEffect(() => {
    const series = exams.studies.flatMap((study) => study.series);
    const started = startSeriesDrawer(source, series);
    setDrawer(started);
    return () => started.close();
  }, [exams, source]);
  return drawer;
}

interface LocalBarProps extends Pick<LocalVisorProps, "exam" | "name" | "keep"> {
  shown: number;
  onShow: (place: number) => void;
}

/** Says that nothing was sent, and offers to keep the same files. */
function LocalBar({ exam, name, shown, onShow, keep }: LocalBarProps) {
  const { i18n, t } = useLingui();
  const { studies, isCut } = exam.exams;
  const productName = keep?.productName ?? "";
  return (
    <aside className="local-bar" aria-label={name}>
      <SmartphoneIcon />
      <p>
        <b>
          <Trans id="local.bar.title">Only on this device.</Trans>
        </b>{" "}
        <span className="local-bar-long">
          <Trans id="local.bar.text">Nothing was uploaded. When you close this page, the exam is gone.</Trans>
        </span>
        <span className="local-bar-short">
          <Trans id="local.bar.short">Gone when closed.</Trans>
        </span>
        {isCut && (
          <span className="local-bar-cut">
            <Trans id="local.bar.cut">Only the first images are shown.</Trans>
          </span>
        )}
      </p>
      {studies.length > 1 && (
        <select
          aria-label={t({ id: "local.exams", message: "Exam" })}
          value={shown}
          onChange={({ currentTarget }) => onShow(Number(currentTarget.value))}
        >
          {studies.map((study, place) => (
            <option key={study.studyInstanceUID} value={place}>
              {textsOf(i18n, study, name).title} · {dateText(i18n, study.about.studyDate)}
            </option>
          ))}
        </select>
      )}
      {keep && (
        <Button kind="lit" size="small" onClick={keep.onKeep}>
          <Trans id="local.keep">Keep in {productName}</Trans>
        </Button>
      )}
    </aside>
  );
}

function textsOf(
  i18n: ReturnType<typeof useLingui>["i18n"],
  { studyInstanceUID, about }: LocalStudy,
  name: string,
) {
  const title = about.studyDescription || about.modality || descriptionText(i18n, about);
  const date = dateText(i18n, about.studyDate);
  const documentName = [title, about.studyDate];
  const detail = [patientText(i18n, about), date, about.institutionName, name].filter(Boolean).join(" · ");
  return { studyInstanceUID, title, detail, date, documentName };
}
