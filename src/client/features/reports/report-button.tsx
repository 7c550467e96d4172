import { Trans, useLingui } from "@lingui/react/macro";
import { useSetAtom } from "jotai";
import type { Study } from "../../../shared/api/studies.ts";
import { Button } from "../../ui/button.tsx";
import { FilePlusIcon, FileTextIcon } from "../../ui/icons.tsx";
import { leftByAtom, openerOf } from "../studies/list-openers.ts";
import { descriptionText } from "../studies/study-text.ts";
import { reportAskedAtom, shownReportAtom } from "./report-state.ts";

/** Opens a study's report, or the dialog that attaches one. */
export function ReportButton({ study }: { study: Study }) {
  const { i18n, t } = useLingui();
  const ask = useSetAtom(reportAskedAtom);
  const show = useSetAtom(shownReportAtom);
  const setLeftBy = useSetAtom(leftByAtom);
  const name = descriptionText(i18n, study);
  const label = study.laudo
    ? t({ id: "report.seeOf", message: `See report: ${name}` })
    : t({ id: "report.attachTo", message: `Attach report: ${name}` });
  return (
    <Button
      kind={study.laudo ? "outline" : "quiet"}
      size="small"
      aria-label={label}
      {...openerOf({ studyId: study.id, opens: "report" })}
      onClick={() => {
        if (!study.laudo) return ask(study);
        setLeftBy({ studyId: study.id, opens: "report" });
        show(study);
      }}
    >
      {study.laudo ? <FileTextIcon small className="study-lit-icon" /> : <FilePlusIcon small />}
      <span className="report-word">
        {study.laudo ? <Trans id="report.see">See report</Trans> : <Trans id="report.attach">Attach</Trans>}
      </span>
    </Button>
  );
}
