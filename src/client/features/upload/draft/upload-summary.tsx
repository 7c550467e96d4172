import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useId } from "react";
import type { UsageStats } from "../../../../shared/api/subscriptions.ts";
import { Button } from "../../../ui/button.tsx";
import { useMediaQuery } from "../../../ui/hooks/use-media-query.ts";
import { changeText, Meter } from "../../../ui/meter.tsx";
import { limitText } from "../../../ui/text/limit-text.ts";
import { sizeText } from "../../../ui/text/size-text.ts";
import { ExamCount } from "../count-texts.tsx";

/** Where the summary has no column of its own. */
const ONE_COLUMN = "(max-width: 68.75em)";

interface UploadSummaryProps {
  /** Of what is chosen. */
  exams: number;
  /** Whether nothing is chosen, not even files of which the exam is not known. */
  isEmpty: boolean;
  images: number;
  sizeBytes: number;
  /** How many of the exams the account does not keep yet. */
  newExams: number;
  /** Whether the account keeps everything that was picked, so that nothing can be sent. */
  isAllKept: boolean;
  usage: UsageStats | undefined;
  isReady: boolean;
  onSend: () => void;
}

/** How much is about to be sent, what that does to the plan, and the button. In one column it sticks below the rows. */
export function UploadSummary(props: UploadSummaryProps) {
  const { t } = useLingui();
  const isBar = useMediaQuery(ONE_COLUMN);
  const label = t({ id: "upload.summary", message: "Summary" });
  return isBar ? (
    <aside className="upload-bar" aria-label={label}>
      <SummaryLine {...props} />
      <SendButton {...props} />
    </aside>
  ) : (
    <aside className="panel upload-summary" aria-label={label}>
      <SummaryCard {...props} />
    </aside>
  );
}

function ImageCount({ images }: Pick<UploadSummaryProps, "images">) {
  return <Plural id="contents.images" value={images} one="# image" other="# images" />;
}

function SummaryLine({ exams, sizeBytes, newExams, usage }: UploadSummaryProps) {
  const { i18n } = useLingui();
  const { currentExamCount = 0, examLimit = 0 } = usage ?? {};
  const [before, after, most] = [currentExamCount, currentExamCount + newExams, examLimit].map((count) =>
    i18n.number(count),
  );
  return (
    <p className="upload-bar-line">
      <span>
        <b>
          <ExamCount exams={exams} />
        </b>{" "}
        · {sizeText(i18n, sizeBytes)}
      </span>
      {usage && (
        <span>
          {changeText(before ?? "", after ?? "")} <Trans id="meter.ofLimit">of {most}</Trans>
        </span>
      )}
    </p>
  );
}

function SummaryCard(props: UploadSummaryProps) {
  const { exams, images, sizeBytes, newExams, usage } = props;
  const { i18n, t } = useLingui();
  return (
    <>
      <div>
        <p className="upload-total">
          <ExamCount exams={exams} />
        </p>
        <p className="upload-total-size">
          {images > 0 && (
            <>
              <ImageCount images={images} /> ·{" "}
            </>
          )}
          {sizeText(i18n, sizeBytes)}
        </p>
      </div>
      {usage && (
        <>
          <Meter
            label={t({ id: "planStrip.exams", message: "Exams" })}
            used={usage.currentExamCount}
            coming={newExams}
            limit={usage.examLimit}
          />
          <Meter
            label={t({ id: "planStrip.storage", message: "Storage" })}
            used={usage.storageUsedBytes}
            coming={sizeBytes}
            limit={usage.storageBytes}
            textOf={(bytes) => limitText(i18n, bytes)}
          />
        </>
      )}
      <SendButton {...props} />
      {!props.isAllKept && (
        <p className="field-hint">
          <Trans id="upload.asTheyAre">
            The images go as they are, bit by bit. You can leave this view: the upload stays in the tray.
          </Trans>
        </p>
      )}
    </>
  );
}

function SendButton({ exams, isEmpty, isReady, isAllKept, onSend }: UploadSummaryProps) {
  const reason = useId();
  const isPointless = isReady && isAllKept;
  return (
    <>
      <Button
        kind="lit"
        size="big"
        disabled={!isReady || isEmpty}
        aria-describedby={isPointless ? reason : undefined}
        onClick={onSend}
      >
        <Plural id="upload.submitExams" value={exams} _0="Upload" one="Upload exam" other="Upload # exams" />
      </Button>
      {isPointless && (
        <p className="field-hint" id={reason}>
          <Trans id="upload.allKept">Everything here is already kept.</Trans>
        </p>
      )}
    </>
  );
}
