import { plural } from "@lingui/core/macro";
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import type { ReactNode } from "react";
import { ModalityChip } from "../../../ui/chip.tsx";
import { TriangleAlertIcon, UsersIcon } from "../../../ui/icons.tsx";
import { dayText } from "../../../ui/moment-text.ts";
import { sizeText } from "../../../ui/size-text.ts";
import { SeePlans } from "../../plan/subscription-link.tsx";
import { maySubscribe, useHis } from "../../session/his-context.ts";
import { dateText, descriptionText } from "../../studies/study-text.ts";
import { SmallFilm } from "../contact-sheet/small-film.tsx";
import { type Contents, type FoundStudy, filmOf } from "../look-inside/contents.ts";
import { patientsOf, type SortedExams } from "./sort-exams.ts";

const MAX_NAMED_PATIENTS = 2;
const SMALL_FILMS = 4;

/** What the picked files hold, before anything is sent: what is new, what is kept already, what has no room. */
export function ExamContents({ contents, exams }: { contents: Contents; exams: SortedExams }) {
  return (
    <section className="contents">
      <PatientsNotice studies={contents.studies} />
      <Group title={<Trans id="contents.toSend">To upload</Trans>} count={exams.toSend.length}>
        {exams.toSend.map((study) => (
          <FoundExam key={study.studyInstanceUID} study={study} />
        ))}
      </Group>
      <Group title={<Trans id="contents.kept">Already kept</Trans>} count={exams.kept.length}>
        {exams.kept.map(({ study, kept }) => {
          const day = dayText(new Date(kept.createdAt));
          return (
            <FoundExam key={study.studyInstanceUID} study={study} isDim>
              <Plural
                id="contents.keptImages"
                value={kept.imagesReceived}
                one={`# image kept since ${day}. Only what is missing is added.`}
                other={`# images kept since ${day}. Only what is missing is added.`}
              />
            </FoundExam>
          );
        })}
      </Group>
      <Group title={<Trans id="contents.over">Over your plan</Trans>} count={exams.over.length}>
        {exams.over.map((study) => (
          <FoundExam key={study.studyInstanceUID} study={study} isDim />
        ))}
        <OverNotice />
      </Group>
      {!contents.isComplete && (
        <p className="field-hint">
          <Trans id="contents.incomplete">
            There may be more here than was counted. Everything is uploaded.
          </Trans>
        </p>
      )}
    </section>
  );
}

function PatientsNotice({ studies }: { studies: readonly FoundStudy[] }) {
  const patients = patientsOf(studies);
  const [first, second] = patients;
  if (patients.length < 2) return null;
  return (
    <p className="notice is-warn" role="status">
      <UsersIcon />
      {patients.length > MAX_NAMED_PATIENTS ? (
        <Trans id="contents.manyPatients">
          These exams belong to {patients.length} people. Check before uploading.
        </Trans>
      ) : (
        <Trans id="contents.twoPatients">
          These exams belong to two people: {first} and {second}. Check before uploading.
        </Trans>
      )}
    </p>
  );
}

function OverNotice() {
  const { user } = useHis();
  return (
    <li className="contents-over">
      <TriangleAlertIcon small />
      <span>
        <Trans id="contents.noRoom">
          Your plan has no room for these, so nothing can be sent like this. Choose a larger plan, delete
          exams, or send fewer.
        </Trans>{" "}
        {maySubscribe(user) && <SeePlans />}
      </span>
    </li>
  );
}

function Group({ title, count, children }: { title: ReactNode; count: number; children: ReactNode }) {
  if (count === 0) return null;
  return (
    <div className="contents-group">
      <h2>
        {title}{" "}
        <small>
          <Plural id="contents.exams" value={count} one="# exam" other="# exams" />
        </small>
      </h2>
      <ul className="panel">{children}</ul>
    </div>
  );
}

interface FoundExamProps {
  study: FoundStudy;
  isDim?: boolean;
  children?: ReactNode;
}

function FoundExam({ study, isDim, children }: FoundExamProps) {
  const { i18n, t } = useLingui();
  const { about, modalities, images, series, sizeBytes } = study;
  const film = filmOf(study);
  const facts = [
    t({ id: "contents.images", message: plural(images, { one: "# image", other: "# images" }) }),
    t({ id: "contents.series", message: plural(series.length, { one: "# series", other: "# series" }) }),
    sizeText(i18n, sizeBytes),
  ];
  const films = series.flatMap((one) => (one.film && one.film !== film ? [one] : [])).slice(0, SMALL_FILMS);
  return (
    <li className={`found-exam ${isDim ? "is-dim" : ""}`}>
      <span className="film is-large">{film && <SmallFilm greys={film} />}</span>
      <div className="found-exam-text">
        <b>{descriptionText(i18n, { studyDescription: about.description })}</b>
        <span className="found-exam-who">
          {about.patientName && `${about.patientName} · `}
          <span className="whitespace-nowrap">{dateText(i18n, about.examinedAt || null)}</span>
          {about.institutionName && ` · ${about.institutionName}`}
        </span>
        <span className="found-exam-facts">
          {modalities.map((code) => (
            <ModalityChip key={code} modality={code} />
          ))}
          <span>{facts.join(" · ")}</span>
        </span>
        {children && <span className="found-exam-kept">{children}</span>}
      </div>
      {films.length > 0 && (
        <span className="found-exam-films" aria-hidden="true">
          {films.map((one) => (
            <span key={one.seriesInstanceUID} className="film">
              {one.film && <SmallFilm greys={one.film} />}
            </span>
          ))}
        </span>
      )}
    </li>
  );
}
