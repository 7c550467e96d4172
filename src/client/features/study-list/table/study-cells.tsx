import { Plural, Trans, useLingui } from "@lingui/react/macro";
import type { Row } from "@tanstack/react-table";
import type { Study } from "../../../../shared/api/studies.ts";
import { ModalityChip } from "../../../ui/chip.tsx";
import { ChevronRightIcon } from "../../../ui/icons.tsx";
import { ReportButton } from "../../reports/report-button.tsx";
import { useHis } from "../../session/his-context.ts";
import { modalityCodes, modalityName } from "../../studies/modality-names.ts";
import { StudyIntegrity } from "../../studies/study-integrity.tsx";
import {
  contentText,
  dateText,
  descriptionText,
  fullPatientText,
  patientText,
} from "../../studies/study-text.ts";
import { NewMark } from "../pages/study-order.tsx";
import { OpeningFilm } from "../show-images/study-film.tsx";
import type { studyTableFeatures } from "./study-table-features.ts";

type StudyRow = Row<typeof studyTableFeatures, Study>;

interface ExpanderProps {
  row: StudyRow;
  text: string;
  /** Told by the pointer, where `text` is cut or shorter. */
  whole?: string;
}

/** Opens and closes the study's series below its row. */
function Expander({ row, text, whole }: ExpanderProps) {
  const { i18n, t } = useLingui();
  const name = descriptionText(i18n, row.original);
  return (
    <button
      type="button"
      className="expander"
      aria-expanded={row.getIsExpanded()}
      aria-label={t({ id: "study.showSeries", message: `Series of ${name}, ${text}` })}
      onClick={row.getToggleExpandedHandler()}
    >
      <ChevronRightIcon small />
      <span className="study-expander-text" title={whole}>
        {text}
      </span>
    </button>
  );
}

export function PatientCell({ row }: { row: StudyRow }) {
  const { i18n } = useLingui();
  const [text, whole] = [patientText(i18n, row.original), fullPatientText(i18n, row.original)];
  return <Expander row={row} text={text} whole={whole} />;
}

export function DateCell({ row, hasExpander }: { row: StudyRow; hasExpander: boolean }) {
  const { i18n } = useLingui();
  const date = dateText(i18n, row.original.studyDate);
  return hasExpander ? <Expander row={row} text={date} /> : date;
}

interface DescriptionCellProps {
  study: Study;
  /** Whether the counts of images and series stand here, for want of columns of their own. */
  hasCounts: boolean;
}

/** An admin's row has no room for whose the study is; the open row says it. */
export function DescriptionCell({ study, hasCounts }: DescriptionCellProps) {
  const { i18n } = useLingui();
  const isAdmin = useHis().user.role === "admin";
  const name = descriptionText(i18n, study);
  return (
    <div className="study-title">
      <OpeningFilm study={study} />
      <div>
        <b className="study-name" title={name}>
          {name}
        </b>
        <NewMark study={study} />
        {!isAdmin && <StudyOwner study={study} />}
        {hasCounts ? <StudyCounts study={study} /> : !isAdmin && <StudyOrigin study={study} />}
        <StudyIntegrity study={study} />
      </div>
    </div>
  );
}

function StudyCounts({ study }: { study: Study }) {
  const { i18n } = useLingui();
  const { seriesCount } = study;
  return (
    <span className="study-origin">
      {contentText(i18n, study)}
      {", "}
      <Plural id="exam.seriesCount" value={seriesCount} one="# series" other="# series" />
    </span>
  );
}

/** In an admin's open row: whose the study is, and where it comes from. */
export function StudyWhose({ study }: { study: Study }) {
  if (useHis().user.role !== "admin") return null;
  return (
    <div className="study-whose">
      <StudyOwner study={study} />
      <StudyOrigin study={study} />
    </div>
  );
}

/** Who a study came from, if that is another person: its owner, or who delivered it. */
export function StudyOwner({ study: { ownerName, receivedFrom } }: { study: Study }) {
  const { role } = useHis().user;
  if (!ownerName && receivedFrom)
    return (
      <span className="study-owner">
        <Trans id="study.receivedFrom">Received from {receivedFrom}</Trans>
      </span>
    );
  if (!ownerName) return null;
  return (
    <span className="study-owner">
      {role === "admin" ? (
        <Trans id="study.ownedBy">Account of {ownerName}</Trans>
      ) : (
        <Trans id="study.sharedBy">Shared by {ownerName}</Trans>
      )}
    </span>
  );
}

/** The line below a study's title: the institution, and whether the form's values replace the instances' own. */
export function StudyOrigin({ study }: { study: Study }) {
  const { isOverridden, institutionName } = study;
  return (
    <span className="study-origin">
      {institutionName && <span>{institutionName}</span>}
      {isOverridden && (
        <span>
          <Trans id="study.overridden">Edited data</Trans>
        </span>
      )}
    </span>
  );
}

export function ModalityCell({ modality }: { modality: string | null }) {
  const { i18n } = useLingui();
  const codes = modalityCodes(modality);
  if (codes.length === 0) return "--";
  return (
    <span className="study-modality">
      {codes.map((code) => (
        <ModalityChip key={code} modality={code} />
      ))}
      {codes.length === 1 && (
        <span className="study-modality-name">{modalityName(i18n, codes[0] ?? "")}</span>
      )}
    </span>
  );
}

export function CountCell({ count }: { count: number }) {
  const { i18n } = useLingui();
  return i18n.number(count);
}

export function ReportCell({ study }: { study: Study }) {
  return <ReportButton study={study} />;
}
