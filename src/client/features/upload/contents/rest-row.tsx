import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { FileArchiveIcon, FolderOpenIcon } from "../../../ui/icons.tsx";
import { sizeText } from "../../../ui/size-text.ts";
import { storedSizeOf } from "../draft/exam.ts";
import type { ExamSource } from "../draft/merge-exams.ts";
import type { PackableFile } from "../pack-folder/pack-folder.ts";

/** A source that was not read to its end, and the files of which the exam is not known. */
export interface SourceRest {
  source: ExamSource;
  files: readonly PackableFile[];
}

interface RestRowProps {
  rest: SourceRest;
  isChosen: boolean;
  onTick: (isTicked: boolean) => void;
}

/** What was not read of a source. It goes along unless the person leaves it out. */
export function RestRow({ rest: { source, files }, isChosen, onTick }: RestRowProps) {
  const { i18n, t } = useLingui();
  const { kind, name: of } = source.read;
  const SourceIcon = kind === "zip" ? FileArchiveIcon : FolderOpenIcon;
  const name = t({ id: "contents.rest", message: `The rest of ${of}` });
  return (
    <li className="found-exam">
      <input
        type="checkbox"
        className="checkbox"
        aria-label={t({ id: "contents.tick", message: `Upload: ${name}` })}
        checked={isChosen}
        onChange={({ target }) => onTick(target.checked)}
      />
      <span className="film is-large found-exam-unread">
        <SourceIcon />
      </span>
      <span className="found-exam-text">
        <b>{name}</b>
        <span className="found-exam-facts">
          <span>
            <Plural id="contents.files" value={files.length} one="# file" other="# files" /> ·{" "}
            {sizeText(
              i18n,
              files.reduce((total, file) => total + storedSizeOf(file), 0),
            )}
          </span>
        </span>
      </span>
      <p className="found-exam-action field-hint">
        <Trans id="contents.restHint">
          Reading took too long here. The server looks at these files: they may belong to the exams above, or
          to others.
        </Trans>
      </p>
    </li>
  );
}
