import { useLingui } from "@lingui/react/macro";
import { Dialog as RadixDialog } from "radix-ui";
import { useCallback } from "react";
import type { Visit, VisitedStudy } from "../../../shared/api/links.ts";
import { useBackCloses } from "../../ui/use-back-closes.ts";
import type { StackSource } from "../../visor/core/source.ts";
import { dateText, descriptionText, patientText } from "../studies/study-text.ts";
import { Laudo, LazyVisor } from "../viewer/lazy-visor.tsx";
import { visitAddresses, visitApi } from "./visit-api.ts";

interface VisitedVisorProps {
  study: VisitedStudy;
  visit: Visit;
  source: StackSource;
  /** Where OHIF shows the study. */
  ohifAddress: string;
  onClose: () => void;
  /** The link was ended meanwhile. */
  onClosed: () => void;
}

/** A study of a link in our own viewer, over its page; the browser's way back closes it. */
export function VisitedVisor({ study, visit, source, ohifAddress, onClose, onClosed }: VisitedVisorProps) {
  const { i18n } = useLingui();
  const { token } = visit;
  const back = useBackCloses(onClose);
  const SeriesPicture = useCallback(
    ({ seriesInstanceUID }: { seriesInstanceUID: string }) => (
      <img src={visitAddresses.seriesPicture(token, study.id, seriesInstanceUID)} alt="" />
    ),
    [token, study.id],
  );
  const title = descriptionText(i18n, study);
  const date = dateText(i18n, study.studyDate);
  const shown = {
    studyInstanceUID: study.studyInstanceUID,
    title,
    detail: [patientText(i18n, study), date, study.institutionName].filter(Boolean).join(" · "),
    date,
  };
  return (
    <RadixDialog.Root open onOpenChange={(open) => !open && back()}>
      <RadixDialog.Portal>
        <RadixDialog.Content className="viewer-visor" data-theme="dark" aria-describedby={undefined}>
          <RadixDialog.Title className="sr-only">{title}</RadixDialog.Title>
          <LazyVisor
            source={source}
            studies={[shown]}
            preview={visitAddresses.preview(token, study.id)}
            seriesPicture={SeriesPicture}
            laudo={
              study.laudo
                ? { render: () => <Laudo id={study.id} read={() => visitApi.report(token, study.id)} /> }
                : undefined
            }
            onDownload={
              visit.download
                ? () => window.location.assign(visitAddresses.download(token, study.id))
                : undefined
            }
            onOpenOhif={() => window.location.assign(ohifAddress)}
            onBack={back}
            onEnded={onClosed}
          />
        </RadixDialog.Content>
      </RadixDialog.Portal>
    </RadixDialog.Root>
  );
}
