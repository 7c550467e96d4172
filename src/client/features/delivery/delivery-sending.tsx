import { Plural, Trans, useLingui } from "@lingui/react/macro";
import type { CSSProperties } from "react";
import { shortPersonName } from "../../../shared/dicom/person-name.ts";
import { mayBeSamePerson } from "../../../shared/rules/shown-name.ts";
import { Button } from "../../ui/button.tsx";
import { CircleAlertIcon } from "../../ui/entry-icons.tsx";
import { CheckIcon } from "../../ui/icons.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { dateText } from "../studies/study-text.ts";
import { SmallFilm } from "../upload/contact-sheet/small-film.tsx";
import { filmOf } from "../upload/look-inside/contents.ts";
import { TimeLeft, TransferNumbers } from "../upload/transfer-text.tsx";
import { percentOf, type Transfer } from "../upload/upload-state.ts";
import type { PickedDelivery } from "./delivery-state.ts";

/** What was picked, in a line: its picture, name and images. */
function PickedExam({ picked, shownName }: { picked: PickedDelivery; shownName?: string }) {
  const { i18n } = useLingui();
  const studies = picked.prepared.contents?.studies ?? [];
  const [film] = studies.flatMap((study) => filmOf(study) ?? []);
  const imagesReceived = studies.reduce((sum, study) => sum + study.images, 0);
  const [first] = studies;
  return (
    <div className="delivery-exam">
      {film && (
        <span className="tray-picture">
          <SmallFilm greys={film} />
        </span>
      )}
      <div>
        <b>{first?.about.description || picked.name}</b>
        <small>
          {first?.about.examinedAt && `${dateText(i18n, first.about.examinedAt)} · `}
          {imagesReceived > 0 && (
            <Plural id="exam.imageCount" value={imagesReceived} one="# image" other="# images" />
          )}
        </small>
      </div>
      {shownName !== undefined && isNamed(picked, shownName) && (
        <span className="state-chip is-ok">
          <CheckIcon small />
          <Trans id="delivery.nameMatches">Name matches</Trans>
        </span>
      )}
    </div>
  );
}

/** Whether all images name the patient, as far as names tell. */
function isNamed({ prepared }: PickedDelivery, shownName: string): boolean {
  const studies = prepared.contents?.studies ?? [];
  const names = studies.map(({ about }) => about.patientName?.trim() ?? "");
  return names.length > 0 && names.every((name) => name !== "" && mayBeSamePerson(shownName, name));
}

interface SendingProps {
  picked: PickedDelivery;
  transfer: Transfer;
  /** The patient, as the request names them. */
  shownName: string;
}

/** How much has gone. */
export function Sending({ picked, transfer, shownName }: SendingProps) {
  const { t } = useLingui();
  const percent = percentOf(transfer);
  return (
    <section className="panel delivery-sending">
      <PickedExam picked={picked} shownName={shownName} />
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
          <TimeLeft transfer={transfer} />
          <TransferNumbers transfer={transfer} />
        </div>
      </div>
      <span className="progress-line" style={{ "--percent": percent } as CSSProperties} aria-hidden="true" />
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

interface OtherNameProps {
  found: string;
  shownName: string;
  picked: PickedDelivery;
  onOther: () => void;
  onAnyway: () => void;
}

/** The images name somebody else. Nothing was sent; the people who deliver decide. */
export function OtherName({ found, shownName, picked, onOther, onAnyway }: OtherNameProps) {
  const name = shortPersonName(found) ?? found;
  return (
    <>
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
      <section className="panel delivery-sending">
        <PickedExam picked={picked} />
        <div className="delivery-actions">
          <Button kind="lit" onClick={onOther}>
            <Trans id="delivery.chooseOther">Choose another</Trans>
          </Button>
          <Button onClick={onAnyway}>
            <Trans id="delivery.anyway">Deliver anyway</Trans>
          </Button>
        </div>
      </section>
    </>
  );
}
