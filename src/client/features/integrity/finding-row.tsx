import { Trans, useLingui } from "@lingui/react/macro";
import { useSetAtom } from "jotai";
import type { IntegrityFinding } from "../../../shared/api/integrity.ts";
import { Button } from "../../ui/button.tsx";
import { RefreshIcon, ShieldAlertIcon, ShieldCheckIcon } from "../../ui/icons.tsx";
import { limitText } from "../../ui/text/limit-text.ts";
import { momentText } from "../../ui/text/moment-text.ts";
import { WholeDates } from "../../ui/text/whole-dates.tsx";
import { viewAtom } from "../places/views.ts";
import { dateText, patientText } from "../studies/study-text.ts";
import { noFilters, studyFiltersAtom } from "../study-list/filters/study-filters.ts";
import { openStudiesAtom } from "../study-list/pages/list-place.ts";
import { adviceFor, healingTexts, kindNames } from "./finding-text.ts";
import { integrityApi } from "./integrity-api.ts";
import { useFindingAction } from "./use-integrity.ts";

/** One file that was found damaged or missing: what it is, since when, and what can be done. */
export function FindingRow({ finding }: { finding: IntegrityFinding }) {
  const { i18n } = useLingui();
  const { kind, found, study, object, sizeBytes, closedAt, healedBy } = finding;
  const foundAt = momentText(finding.foundAt);
  const checkedAt = momentText(finding.checkedAt);
  const exam =
    study && [study.description, patientText(i18n, study), dateText(i18n, study.studyDate)].filter(Boolean);
  return (
    <li>
      <div className="integrity-what">
        <b>{i18n._(kindNames[kind])}</b>
        {exam && (
          <span>
            <WholeDates>{exam.join(" · ")}</WholeDates>
          </span>
        )}
        <code>
          {object} · {limitText(i18n, sizeBytes)}
        </code>
      </div>
      <div>
        <b className={closedAt ? "integrity-ok" : "integrity-bad"}>
          {closedAt ? <ShieldCheckIcon small /> : <ShieldAlertIcon small />}
          {found === "missing" ? (
            <Trans id="integrity.missing">Missing</Trans>
          ) : (
            <Trans id="integrity.damaged">Damaged</Trans>
          )}
        </b>
        <span>
          <Trans id="integrity.foundAt">Found on {foundAt}</Trans>
        </span>
        {closedAt ? (
          <ClosedAs closedAt={closedAt} healedBy={healedBy} />
        ) : (
          <span>
            <Trans id="integrity.checkedAt">Still so on {checkedAt}</Trans>
          </span>
        )}
      </div>
      {!closedAt && (
        <OpenActions finding={finding} name={`${i18n._(kindNames[kind])}, ${exam?.join(", ") ?? object}`} />
      )}
    </li>
  );
}

function ClosedAs({ closedAt, healedBy }: { closedAt: string; healedBy: IntegrityFinding["healedBy"] }) {
  const { i18n } = useLingui();
  const when = momentText(closedAt);
  return (
    <span>
      {healedBy && i18n._(healingTexts[healedBy])} <Trans id="integrity.closedAt">on {when}</Trans>
    </span>
  );
}

/** @param props.name distinguishes the buttons of one finding from those of the others */
function OpenActions({ finding, name }: { finding: IntegrityFinding; name: string }) {
  const { i18n, t } = useLingui();
  const failed = t({ id: "integrity.actionFailed", message: "It could not be started" });
  const recheck = useFindingAction(integrityApi.recheck, {
    failed,
    title: t({ id: "integrity.rechecking", message: "Reading again" }),
    text: t({ id: "integrity.rechecking.text", message: "The finding closes if the bytes are right." }),
  });
  const restore = useFindingAction(integrityApi.restore, {
    failed,
    title: t({ id: "integrity.restoring", message: "Looking for another copy" }),
    text: t({ id: "integrity.restoring.text", message: "Where a server has a right one, it is put back." }),
  });
  return (
    <div className="integrity-do">
      <div className="integrity-buttons">
        <Button
          size="small"
          disabled={recheck.isPending}
          aria-label={t({ id: "integrity.recheckOf", message: `Check again: ${name}` })}
          onClick={() => recheck.mutate(finding.id)}
        >
          <RefreshIcon small />
          <Trans id="integrity.recheck">Check again</Trans>
        </Button>
        <Button
          size="small"
          disabled={restore.isPending}
          aria-label={t({ id: "integrity.restoreOf", message: `Look for another copy: ${name}` })}
          onClick={() => restore.mutate(finding.id)}
        >
          <Trans id="integrity.restore">Look for another copy</Trans>
        </Button>
        {finding.study && <ShowStudy study={finding.study} name={name} />}
      </div>
      <p>{i18n._(adviceFor(finding))}</p>
    </div>
  );
}

/** Leads to the exam in the list of exams, narrowed to its date and patient. */
function ShowStudy({ study, name }: { study: NonNullable<IntegrityFinding["study"]>; name: string }) {
  const { t } = useLingui();
  const setFilters = useSetAtom(studyFiltersAtom);
  const setOpen = useSetAtom(openStudiesAtom);
  const setView = useSetAtom(viewAtom);
  const show = () => {
    const { studyDate, patientID } = study;
    const date = studyDate ?? "";
    setFilters({ ...noFilters, startDate: date, endDate: date, patientID: patientID ?? "" });
    setOpen({ [study.id]: true });
    setView("listaExames");
  };
  return (
    <Button
      size="small"
      aria-label={t({ id: "integrity.showStudyOf", message: `Show in the list: ${name}` })}
      onClick={show}
    >
      <Trans id="integrity.showStudy">Show in the list</Trans>
    </Button>
  );
}
