import { plural } from "@lingui/core/macro";
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { type ReactNode, useId } from "react";
import { ModalityChip } from "../../../ui/chip.tsx";
import { sizeText } from "../../../ui/text/size-text.ts";
import { dateText, descriptionText } from "../../studies/study-text.ts";
import { SmallFilm } from "../contact-sheet/small-film.tsx";
import { type Exam, storedSizeOfAll } from "../draft/exam.ts";
import type { ExamForm } from "../exam-form/exam-form.ts";
import { filmOf } from "../look-inside/contents.ts";
import type { SendableExam } from "./sort-exams.ts";

const SMALL_FILMS = 4;

interface ExamRowProps {
  exam: Exam;
  /** What the list will show, corrected or not. */
  about: ExamForm;
  isChosen: boolean;
  /** Undefined where it can't be chosen. */
  onTick?: ((isTicked: boolean) => void) | undefined;
  /** How much it is. */
  facts: ReactNode;
  /** What can be done with it, in a line of its own. */
  action: ReactNode;
  /** Below the row. */
  children?: ReactNode;
}

/** An exam in the picked files: its box, its picture, what it is and how much. */
export function ExamRow({ exam, about, isChosen, onTick, facts, action, children }: ExamRowProps) {
  const { i18n, t } = useLingui();
  const id = useId();
  const film = filmOf(exam);
  const name = descriptionText(i18n, { studyDescription: about.description });
  const films = exam.series.flatMap((one) => (one.film && one.film !== film ? [one] : []));
  return (
    <li className={`found-exam ${onTick ? "" : "is-off"}`}>
      <input
        id={id}
        type="checkbox"
        className="checkbox"
        aria-label={t({ id: "contents.tick", message: `Upload: ${name}` })}
        checked={isChosen}
        disabled={!onTick}
        onChange={({ target }) => onTick?.(target.checked)}
      />
      <label className="found-exam-label" htmlFor={id}>
        <span className="film is-large">{film && <SmallFilm greys={film} />}</span>
        <span className="found-exam-text">
          <b className={about.description.trim() === "" ? "is-unnamed" : ""}>{name}</b>
          <WhoAndWhen about={about} />
          <span className="found-exam-facts">
            {exam.modalities.map((code) => (
              <ModalityChip key={code} modality={code} />
            ))}
            <span>{facts}</span>
          </span>
        </span>
      </label>
      {films.length > 0 && (
        <span className="found-exam-films" aria-hidden="true">
          {films.slice(0, SMALL_FILMS).map((one) => (
            <span key={one.seriesInstanceUID} className="film">
              {one.film && <SmallFilm greys={one.film} />}
            </span>
          ))}
        </span>
      )}
      <span className="found-exam-action">{action}</span>
      {children}
    </li>
  );
}

function WhoAndWhen({ about }: { about: ExamForm }) {
  const { i18n } = useLingui();
  const separator = <span className="found-exam-desk"> · </span>;
  return (
    <span className="found-exam-who">
      {about.patientName}
      {about.patientName && separator}
      <span className="found-exam-date">{dateText(i18n, about.examinedAt || null)}</span>
      {about.institutionName && <span className="found-exam-desk"> · {about.institutionName}</span>}
    </span>
  );
}

/** How much of an exam is sent. */
export function Amount({ exam, files, kept }: Omit<SendableExam, "isChosen">) {
  const { i18n, t } = useLingui();
  const size = sizeText(i18n, storedSizeOfAll(files));
  const missing = files.length;
  if (kept) {
    return (
      <>
        <Plural
          id="contents.missing"
          value={missing}
          one="Only # image is missing"
          other="Only # images are missing"
        />{" "}
        · {size}
      </>
    );
  }
  const { images, videos, series } = exam;
  const count =
    videos > 0 && videos === images
      ? t({ id: "contents.videos", message: plural(videos, { one: "# video", other: "# videos" }) })
      : t({ id: "contents.images", message: plural(images, { one: "# image", other: "# images" }) });
  const seriesCount = t({
    id: "contents.series",
    message: plural(series.length, { one: "# series", other: "# series" }),
  });
  return (
    <>
      {count}
      <span className="found-exam-desk"> · {seriesCount}</span> · {size}
    </>
  );
}

interface CorrectableProps {
  /** What the files say, and the person's own values if they have any. */
  about: ExamForm;
  isOpen: boolean;
  onOpen: (isOpen: boolean) => void;
}

/** Opens or closes the fields of an exam. */
export function CorrectButton({ about, isOpen, onOpen }: CorrectableProps) {
  return (
    <button type="button" className="text-action" aria-expanded={isOpen} onClick={() => onOpen(!isOpen)}>
      {isOpen ? (
        <Trans id="action.close">Close</Trans>
      ) : about.description.trim() === "" ? (
        <Trans id="upload.form.name">Give it a name</Trans>
      ) : (
        <Trans id="upload.form.open">Correct details</Trans>
      )}
    </button>
  );
}
