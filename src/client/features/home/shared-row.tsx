import { Plural, Trans, useLingui } from "@lingui/react/macro";
import type { ReactNode } from "react";
import type { Study } from "../../../shared/api/studies.ts";
import { Button } from "../../ui/button.tsx";
import { descriptionText, fullPatientText } from "../studies/study-text.ts";
import { StudyFilm } from "../study-list/show-images/study-film.tsx";
import { HomeRow } from "./home-panel.tsx";
import { useOpenStudy } from "./use-open-study.ts";

/** An exam that somebody shares with the person, as a row. */
export function SharedRow({ study, children }: { study: Study; children: ReactNode }) {
  const { i18n, t } = useLingui();
  const open = useOpenStudy();
  const description = descriptionText(i18n, study);
  return (
    <HomeRow
      lead={<StudyFilm study={study} />}
      title={description}
      actions={
        <Button
          size="small"
          aria-label={t({ id: "home.openOf", message: `Open ${description}` })}
          onClick={() => open(study)}
        >
          <Trans id="study.open">Open</Trans>
        </Button>
      }
    >
      {children}
    </HomeRow>
  );
}

/** `Marina Gonçalves, 60 anos`. */
export function PatientLine({ study }: { study: Study }) {
  const { i18n } = useLingui();
  const age = ageOf(study.patientBirthDate, new Date());
  return (
    <>
      {fullPatientText(i18n, study)}
      {age !== undefined && (
        <>
          , <Plural id="home.age" value={age} one="# year old" other="# years old" />
        </>
      )}
    </>
  );
}

const OLDEST = 130;

/** Whole years since a day of birth (`1966-02-11`); undefined where it is unknown or can't be right. */
export function ageOf(birthDate: string | null, now: Date): number | undefined {
  const [year, month, day] = (birthDate ?? "").split("-").map(Number);
  if (!year || !month || !day) return undefined;
  const isBefore = now.getMonth() + 1 < month || (now.getMonth() + 1 === month && now.getDate() < day);
  const age = now.getFullYear() - year - (isBefore ? 1 : 0);
  return age >= 0 && age <= OLDEST ? age : undefined;
}
