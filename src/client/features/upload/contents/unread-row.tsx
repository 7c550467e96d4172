import { Trans, useLingui } from "@lingui/react/macro";
import { TriangleAlertIcon } from "../../../ui/icons.tsx";
import { sizeText } from "../../../ui/text/size-text.ts";
import type { ReadSource } from "../draft/read-source.ts";
import { CorrectDetails } from "../exam-form/correct-details.tsx";
import type { ExamFieldsProps } from "../exam-form/exam-fields.tsx";
import { SourceRow } from "./source-row.tsx";

interface UnreadRowProps extends ExamFieldsProps {
  read: ReadSource;
  isChosen: boolean;
  onTick: (isTicked: boolean) => void;
}

/** A source in which the browser found no exam. It can be sent as it is, under the values that the person gives. */
export function UnreadRow({ read, isChosen, onTick, ...fields }: UnreadRowProps) {
  const { i18n } = useLingui();
  return (
    <SourceRow
      kind={read.kind}
      name={read.name}
      isChosen={isChosen}
      onTick={onTick}
      facts={sizeText(i18n, read.sizeBytes)}
    >
      <div className="found-exam-action notice is-warn">
        <TriangleAlertIcon />
        <p role="status">
          {read.isCut ? (
            <Trans id="upload.form.cut">
              This ZIP seems incomplete: its end is missing. Copy or download it again. You can still upload
              it as it is: the server checks what you send.
            </Trans>
          ) : (
            <Trans id="upload.form.unread">
              This browser found no exam here that it can read. You can still upload: the server checks what
              you send and fills in what you leave empty.
            </Trans>
          )}
        </p>
      </div>
      <CorrectDetails isWhole {...fields} />
    </SourceRow>
  );
}
