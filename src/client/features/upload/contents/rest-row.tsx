import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { sizeText } from "../../../ui/text/size-text.ts";
import { storedSizeOfAll } from "../draft/exam.ts";
import type { ExamSource } from "../draft/merge-exams.ts";
import type { PackableFile } from "../pack-folder/pack-folder.ts";
import { SourceRow } from "./source-row.tsx";

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
export function RestRow({ rest: { source, files }, ...box }: RestRowProps) {
  const { i18n, t } = useLingui();
  const { kind, name: of } = source.read;
  const sizeBytes = storedSizeOfAll(files);
  return (
    <SourceRow
      {...box}
      kind={kind}
      name={t({ id: "contents.rest", message: `The rest of ${of}` })}
      facts={
        <>
          <Plural id="contents.files" value={files.length} one="# file" other="# files" /> ·{" "}
          {sizeText(i18n, sizeBytes)}
        </>
      }
    >
      <p className="found-exam-action field-hint">
        <Trans id="contents.restHint">
          Reading took too long here. The server looks at these files: they may belong to the exams above, or
          to others.
        </Trans>
      </p>
    </SourceRow>
  );
}
