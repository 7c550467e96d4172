import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { ShieldAlertIcon, ShieldCheckIcon } from "../../ui/icons.tsx";
import {
  type Comparison,
  type ComparisonOfExams,
  hasMore,
  hasNoImages,
  isOtherExam,
  isUnchanged,
} from "./compare-files.ts";
import type { HashFailure } from "./hash-messages.ts";
import type { Check, CheckResult } from "./use-verification.ts";

/** The most names of one kind that are listed. */
const MAX_NAMES = 50;

const failures: Record<HashFailure, MessageDescriptor> = {
  unreadable: msg({ id: "verify.failed.unreadable", message: "This ZIP can't be read. It may be cut off." }),
  gone: msg({ id: "verify.failed.gone", message: "A file was changed or removed since it was chosen." }),
  too_many: msg({ id: "verify.failed.tooMany", message: "These are too many files to be checked at once." }),
};

/** How far the check is, and what it found. */
export function CheckOutcome({ check }: { check: Check }) {
  const { i18n } = useLingui();
  if (check.state === "none") return null;
  if (check.state === "failed") {
    return (
      <p className="notice is-bad" role="alert">
        {i18n._(failures[check.reason])}
      </p>
    );
  }
  if (check.state === "running") {
    const { files, total } = check;
    return (
      <p className="verify-progress" role="status">
        <Trans id="verify.checking">
          Checking: {i18n.number(files)} of {i18n.number(total)} files
        </Trans>
        <progress className="progress-line" value={files} max={Math.max(1, total)} />
      </p>
    );
  }
  return <Result result={check.result} />;
}

function Result({ result }: { result: CheckResult }) {
  if (result.kind === "compared") return <Compared result={result} />;
  if (result.isSame) return <Unchanged images={result.images} />;
  if (result.images === 0) return <NoImages />;
  return (
    <div className="verify-result is-bad" role="alert">
      <Verdict isOk={false}>
        <Trans id="verify.rootDiffers">These files are not exactly what was received.</Trans>
      </Verdict>
      <p>
        <Trans id="verify.rootDiffers.text">
          The QR code has only the fingerprint of the whole exam. Choose the PDF of the receipt to see which
          images differ.
        </Trans>
      </p>
    </div>
  );
}

interface ComparedProps {
  comparison: Comparison;
  images: number;
}

function Compared({ result: { comparison, images, absent } }: { result: ComparisonOfExams }) {
  if (isUnchanged(comparison))
    return <Unchanged images={images} others={comparison.others} absent={absent} />;
  if (hasNoImages(comparison)) return <NoImages />;
  if (hasMore(comparison)) return <More comparison={comparison} images={images} />;
  if (isOtherExam(comparison)) return <OtherExam comparison={comparison} />;
  return <Differing comparison={comparison} images={images} />;
}

function NoImages() {
  return (
    <div className="verify-result is-bad" role="alert">
      <Verdict isOk={false}>
        <Trans id="verify.noImages">There are no images in these files.</Trans>
      </Verdict>
    </div>
  );
}

function More({ comparison: { unknown }, images }: ComparedProps) {
  return (
    <div className="verify-result is-bad" role="alert">
      <Verdict isOk={false}>
        <Plural
          id="verify.moreThanReceived"
          value={unknown.length}
          one="# image here was not received with the others."
          other="# images here were not received with the others."
        />
      </Verdict>
      <p>
        <Plural
          id="verify.moreThanReceived.text"
          value={images}
          one="The one that was received is exactly as it was."
          other="The # that were received are exactly as they were."
        />
      </p>
      <Names title={<Trans id="verify.unknown">Not in the receipt</Trans>} names={unknown} />
    </div>
  );
}

function OtherExam({ comparison: { missing, unknown } }: Pick<ComparedProps, "comparison">) {
  return (
    <div className="verify-result is-bad" role="alert">
      <Verdict isOk={false}>
        <Trans id="verify.otherExam">These files are of another exam.</Trans>
      </Verdict>
      <p>
        <Trans id="verify.otherExam.text">None of their images is in the receipt.</Trans>
      </p>
      <details>
        <summary>
          <Trans id="skipped.show">Show which</Trans>
        </summary>
        <Names title={<Trans id="verify.missing">Missing</Trans>} names={missing} />
        <Names title={<Trans id="verify.unknown">Not in the receipt</Trans>} names={unknown} />
      </details>
    </div>
  );
}

function Differing({ comparison: { changed, missing, unknown, matching }, images }: ComparedProps) {
  return (
    <div className="verify-result is-bad" role="alert">
      <Verdict isOk={false}>
        <Trans id="verify.differs">
          {images - matching} of {images} images differ from what was received.
        </Trans>
      </Verdict>
      <Names
        title={<Trans id="verify.changed">Changed</Trans>}
        names={changed.map(({ name }) => name)}
        details={changed.map(({ sopInstanceUID }) => sopInstanceUID)}
      />
      <Names title={<Trans id="verify.missing">Missing</Trans>} names={missing} />
      <Names title={<Trans id="verify.unknown">Not in the receipt</Trans>} names={unknown} />
    </div>
  );
}

interface UnchangedProps {
  images: number;
  others?: number;
  absent?: number;
}

function Unchanged({ images, others = 0, absent = 0 }: UnchangedProps) {
  return (
    <div className="verify-result" role="status">
      <Verdict isOk>
        <Plural
          id="verify.unchanged"
          value={images}
          one="# image, exactly as it was received"
          other="# images, exactly as they were received"
        />
      </Verdict>
      {absent > 0 && (
        <p>
          <Plural
            id="verify.examsAbsent"
            value={absent}
            one="# other exam of this receipt is not among these files."
            other="# other exams of this receipt are not among these files."
          />
        </p>
      )}
      {others > 0 && (
        <p>
          <Plural
            id="verify.others"
            value={others}
            one="# other file is no image and was not compared."
            other="# other files are no images and were not compared."
          />
        </p>
      )}
    </div>
  );
}

function Verdict({ isOk, children }: { isOk: boolean; children: React.ReactNode }) {
  return (
    <p className={isOk ? "verify-verdict is-ok" : "verify-verdict is-bad"}>
      {isOk ? <ShieldCheckIcon /> : <ShieldAlertIcon />}
      <b>{children}</b>
    </p>
  );
}

interface NamesProps {
  title: React.ReactNode;
  names: readonly string[];
  details?: readonly string[];
}

function Names({ title, names, details }: NamesProps) {
  if (names.length === 0) return null;
  return (
    <>
      <h3>
        {title} ({names.length})
      </h3>
      <ul className="verify-names">
        {names.slice(0, MAX_NAMES).map((name, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two files of a ZIP may share a name
          <li key={`${name} ${place}`}>
            <span className="mono">{name}</span>
            {details?.[place] && <small className="mono">{details[place]}</small>}
          </li>
        ))}
      </ul>
      {names.length > MAX_NAMES && (
        <p>
          <Plural id="verify.more" value={names.length - MAX_NAMES} one="and # more" other="and # more" />
        </p>
      )}
    </>
  );
}
