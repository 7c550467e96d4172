import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useAtomValue, useSetAtom } from "jotai";
import type { Study } from "../../../../shared/api/studies.ts";
import { Button } from "../../../ui/button.tsx";
import { DownloadIcon, ShieldAlertIcon, ShieldCheckIcon } from "../../../ui/icons.tsx";
import { dayText } from "../../../ui/text/moment-text.ts";
import { WholeDates } from "../../../ui/text/whole-dates.tsx";
import { viewAtom } from "../../places/views.ts";
import { historySubject } from "../../receipts/history-state.ts";
import { useReceiptDownload } from "../../receipts/use-receipt-download.ts";
import { useHis } from "../../session/his-context.ts";
import { busyStudiesAtom } from "../../studies/busy-studies.ts";
import { findingOf } from "../../studies/study-integrity.tsx";
import { contentText, dateText, descriptionText } from "../../studies/study-text.ts";
import { useDownload } from "../../studies/use-download.ts";
import { openStudiesAtom } from "../pages/list-place.ts";
import { findToggle } from "../pages/use-new-arrivals.ts";

/** The line under an open study: when its bytes were received or last compared, with its receipt, or what is wrong and what to do. */
export function StudyCheck({ study }: { study: Study }) {
  const { i18n } = useLingui();
  const { integrity, verifiedAt, createdAt } = study;
  const finding = findingOf(study);
  if (finding) {
    return (
      <div className="study-check is-bad">
        <ShieldAlertIcon />
        <p>
          <b>{i18n._(finding.word)}</b>
          <span>{i18n._(finding.text)}</span>
        </p>
        <CheckActions study={study} />
      </div>
    );
  }
  const date = dayText(verifiedAt ?? createdAt);
  const content = contentText(i18n, study);
  return (
    <div className="study-check">
      <ShieldCheckIcon />
      {integrity === "ok" && verifiedAt ? (
        <p>
          <Trans id="integrity.verified">Checked on {date}:</Trans>{" "}
          <b>
            <Trans id="integrity.unchanged">{content}, no change</Trans>
          </b>
        </p>
      ) : (
        <p>
          <Trans id="integrity.received">Received on {date}:</Trans> <b>{content}</b>
        </p>
      )}
      <ReceiptActions study={study} />
    </div>
  );
}

function ReceiptActions({ study }: { study: Study }) {
  const showHistory = useSetAtom(historySubject.valueAtom);
  const download = useReceiptDownload();
  const downloadStudy = useDownload();
  const isBusy = useAtomValue(busyStudiesAtom).has(study.id);
  return (
    <div className="study-check-actions">
      <Button size="small" kind="quiet" onClick={() => showHistory(study)}>
        <Trans id="history.open">History</Trans>
      </Button>
      <Button size="small" disabled={download.isPending} onClick={() => download.mutate(study)}>
        <DownloadIcon small />
        <Trans id="receipt.download">Download receipt</Trans>
      </Button>
      {study.access.download && (
        <Button size="small" disabled={isBusy} onClick={() => void downloadStudy(study, "pdi")}>
          <DownloadIcon small />
          <Trans id="study.downloadMedia">Download for CD or USB stick (DICOMDIR)</Trans>
        </Button>
      )}
    </div>
  );
}

function CheckActions({ study: { ownerName } }: { study: Study }) {
  const { user, isActive } = useHis();
  const setView = useSetAtom(viewAtom);
  const isOwner = ownerName === null;
  return (
    <div className="study-check-actions">
      {isOwner && isActive && (
        <Button size="small" onClick={() => setView("uploadExames")}>
          <Trans id="integrity.uploadAgain">Upload again</Trans>
        </Button>
      )}
      {user.role !== "admin" && (
        <Button size="small" onClick={() => setView("support")}>
          <Trans id="integrity.contactSupport">Contact support</Trans>
        </Button>
      )}
    </div>
  );
}

/** Says above the list that an exam on this page is damaged or missing, and leads to it. */
export function StudyAlarm({ studies }: { studies: Study[] | undefined }) {
  const { i18n } = useLingui();
  const setOpen = useSetAtom(openStudiesAtom);
  const unsound = studies?.filter((study) => findingOf(study) && study.ownerName === null) ?? [];
  const [first] = unsound;
  if (!first) return null;
  return (
    <div className="banner is-bad" role="alert">
      <ShieldAlertIcon />
      <span>
        <b>
          <Plural
            id="integrity.alarm"
            value={unsound.length}
            one="One exam needs attention"
            other="# exams need attention"
          />
        </b>{" "}
        {descriptionText(i18n, first)}, <WholeDates>{dateText(i18n, first.studyDate)}</WholeDates>
      </span>
      <Button
        size="small"
        onClick={() => {
          setOpen({ [first.id]: true });
          leadTo(first);
        }}
      >
        <Trans id="integrity.alarm.show">Show</Trans>
      </Button>
    </div>
  );
}

/** Brings a study's row into view, once it is drawn open, and gives the focus to what opens and closes it. */
function leadTo({ id }: Pick<Study, "id">): void {
  requestAnimationFrame(() => {
    const toggle = findToggle(id);
    toggle?.scrollIntoView({ block: "center" });
    toggle?.focus({ preventScroll: true });
  });
}
