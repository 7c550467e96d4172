import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import type { Study } from "../../../shared/api/studies.ts";
import { Film } from "../../ui/film.tsx";
import { useSeen } from "../../ui/hooks/use-seen.ts";
import { ChevronDownIcon } from "../../ui/icons.tsx";
import { dateText, descriptionText, fullPatientText } from "../studies/study-text.ts";
import { usePicture } from "../studies/use-picture.ts";

interface OtherExamsProps {
  study: Study;
  others: Study[];
  chosen: readonly string[];
  onChosen: (ids: readonly string[]) => void;
}

/** Other exams of the patient, which a link may show too. */
export function OtherExams({ study, others, chosen, onChosen }: OtherExamsProps) {
  const { i18n, t } = useLingui();
  const patient = fullPatientText(i18n, study);
  const count = chosen.length;
  return (
    <details className="link-others">
      <summary>
        <span>
          <Trans id="link.others">Other exams of {patient}</Trans>
        </span>
        {count > 0 && (
          <small>
            {t({ id: "link.included", message: plural(count, { one: "# included", other: "# included" }) })}
          </small>
        )}
        <ChevronDownIcon small />
      </summary>
      {others.map((other) => (
        <OtherExam
          key={other.id}
          other={other}
          isAlike={other.modality === study.modality}
          checked={chosen.includes(other.id)}
          onChange={(checked) =>
            onChosen(checked ? [...chosen, other.id] : chosen.filter((id) => id !== other.id))
          }
        />
      ))}
    </details>
  );
}

interface OtherExamProps {
  other: Study;
  isAlike: boolean;
  checked: boolean;
  onChange: (checked: boolean) => void;
}

function OtherExam({ other, isAlike, checked, onChange }: OtherExamProps) {
  const { i18n } = useLingui();
  const [ref, isSeen] = useSeen<HTMLSpanElement>();
  const picture = usePicture({ study: other, imagesReceived: other.imagesReceived, isSeen });
  return (
    <label>
      <Film ref={ref} src={picture} />
      <span>
        {descriptionText(i18n, other)}
        <small>
          {dateText(i18n, other.studyDate)}
          {isAlike && (
            <>
              {" · "}
              <Trans id="link.toCompare">to compare</Trans>
            </>
          )}
        </small>
      </span>
      <input
        type="checkbox"
        className="checkbox"
        checked={checked}
        onChange={({ target }) => onChange(target.checked)}
      />
    </label>
  );
}
