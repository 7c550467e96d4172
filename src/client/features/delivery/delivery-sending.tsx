import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { shortPersonName } from "../../../shared/dicom/person-name.ts";
import { mayBeSamePerson } from "../../../shared/rules/shown-name.ts";
import { Button } from "../../ui/button.tsx";
import { CircleAlertIcon } from "../../ui/entry-icons.tsx";
import { CheckIcon } from "../../ui/icons.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { dateText } from "../studies/study-text.ts";
import { SmallFilm } from "../upload/contact-sheet/small-film.tsx";
import { ExamCount, PackedCount } from "../upload/count-texts.tsx";
import type { Packing } from "../upload/draft/draft-state.ts";
import { filmOf } from "../upload/look-inside/contents.ts";
import { TimeLeft, TransferNumbers } from "../upload/transfer-text.tsx";
import { percentOf } from "../upload/upload-state.ts";
import type { DeliveryState, Parts, PickedDelivery } from "./delivery-state.ts";
import { LeftOutNotices } from "./left-out.tsx";

type Shown = Pick<PickedDelivery, "name" | "exams">;

/** What was picked, in a line: its picture, name and images. */
function PickedLine({ picked: { name, exams }, shownName }: { picked: Shown; shownName?: string }) {
  const { i18n } = useLingui();
  const [film] = exams.flatMap((exam) => filmOf(exam) ?? []);
  const imagesReceived = exams.reduce((sum, { images }) => sum + images, 0);
  const [first] = exams;
  const { length: count } = exams;
  const isOne = count === 1;
  return (
    <div className="delivery-exam">
      {film && (
        <span className="tray-picture">
          <SmallFilm greys={film} />
        </span>
      )}
      <div>
        <b>{(isOne && first?.about.description) || name}</b>
        <small>
          {isOne && first?.about.examinedAt && `${dateText(i18n, first.about.examinedAt)} · `}
          {count > 1 && (
            <>
              <ExamCount exams={count} /> ·{" "}
            </>
          )}
          {imagesReceived > 0 && (
            <Plural id="exam.imageCount" value={imagesReceived} one="# image" other="# images" />
          )}
        </small>
      </div>
      {shownName !== undefined && isNamed(exams, shownName) && (
        <span className="state-chip is-ok">
          <CheckIcon small />
          <Trans id="delivery.nameMatches">Name matches</Trans>
        </span>
      )}
    </div>
  );
}

/** Whether all images name the patient, as far as names tell. */
function isNamed(exams: Shown["exams"], shownName: string): boolean {
  const names = exams.map(({ about }) => about.patientName.trim());
  return names.length > 0 && names.every((name) => name !== "" && mayBeSamePerson(shownName, name));
}

interface SendingProps
  extends Pick<Extract<DeliveryState, { step: "sending" }>, "transfer" | "parts" | "packing"> {
  picked: Shown;
  /** The patient, as the request names them. */
  shownName: string;
}

/** How much has gone. */
export function Sending({ picked, transfer, parts, packing, shownName }: SendingProps) {
  const { t } = useLingui();
  const percent = percentOf(transfer);
  return (
    <section className="panel delivery-sending">
      <PickedLine picked={picked} shownName={shownName} />
      <div className="delivery-progress">
        <b
          role="progressbar"
          aria-valuenow={percent}
          aria-valuemin={0}
          aria-valuemax={100}
          aria-label={t({ id: "delivery.progress", message: "Delivery" })}
        >
          {percent}%
        </b>
        <div>
          {packing ? <Putting {...packing} /> : <TimeLeft transfer={transfer} />}
          <TransferNumbers transfer={transfer} />
          {parts.total > 1 && <PartNumber {...parts} />}
        </div>
      </div>
      <span className="progress-line" style={{ "--percent": percent }} aria-hidden="true" />
      <p className="field-hint">
        <Trans id="delivery.goesOn">
          If the connection drops, the delivery resumes by itself. Don't close this page until the receipt
          appears.
        </Trans>
      </p>
      <span className="sr-only" role="status">
        {25 * Math.floor(percent / 25)}%
      </span>
    </section>
  );
}

/** What is not packed yet can't be sent. */
function Putting(packing: Packing) {
  return (
    <>
      <Trans id="upload.packing">Putting the exams together</Trans>: <PackedCount {...packing} />
    </>
  );
}

/** Which of several uploads goes, as a delivery that is larger than one has. */
function PartNumber({ arrived, total }: Parts) {
  const part = arrived + 1;
  return (
    <span>
      <Trans id="delivery.part">
        Part {part} of {total}
      </Trans>
    </span>
  );
}

/** The server has all of it, and what comes next is the receipt. */
export function Taking({ fileName }: { fileName: string }) {
  return (
    <section className="panel delivery-sending" role="status">
      <b>{fileName}</b>
      <p>
        <Trans id="delivery.taking">The exam has arrived and is being read. The receipt appears here.</Trans>
      </p>
      <Skeleton className="h-40 w-full" />
    </section>
  );
}

interface CheckProps {
  /** The patient of the images who can't be the one of the request. */
  found: string | undefined;
  shownName: string;
  picked: PickedDelivery;
  maxUploadBytes: number;
  onOther: () => void;
  onAnyway: () => void;
}

/** The images name somebody else, or something can't go. Nothing was sent; the people who deliver decide. */
export function Check({ found, shownName, picked, maxUploadBytes, onOther, onAnyway }: CheckProps) {
  return (
    <>
      {found !== undefined && <OtherName found={found} shownName={shownName} />}
      <LeftOutNotices leftOut={picked.leftOut} maxUploadBytes={maxUploadBytes} />
      <section className="panel delivery-sending">
        <PickedLine picked={picked} />
        {found === undefined ? (
          <div className="delivery-actions">
            <Button kind="lit" onClick={onAnyway}>
              <Trans id="delivery.rest">Deliver the rest</Trans>
            </Button>
            <Button onClick={onOther}>
              <Trans id="delivery.chooseOther">Choose another</Trans>
            </Button>
          </div>
        ) : (
          <div className="delivery-actions">
            <Button kind="lit" onClick={onOther}>
              <Trans id="delivery.chooseOther">Choose another</Trans>
            </Button>
            <Button onClick={onAnyway}>
              <Trans id="delivery.anyway">Deliver anyway</Trans>
            </Button>
          </div>
        )}
      </section>
    </>
  );
}

function OtherName({ found, shownName }: { found: string; shownName: string }) {
  const name = shortPersonName(found) ?? found;
  return (
    <p className="notice is-bad" role="alert">
      <CircleAlertIcon />
      <span>
        <b>
          <Trans id="delivery.otherName">The images carry another name.</Trans>
        </b>{" "}
        <Trans id="delivery.otherName.text">
          The images say <b>{name}</b>, the request says <b>{shownName}</b>, and nothing was sent.
        </Trans>
      </span>
    </p>
  );
}
