import { Trans, useLingui } from "@lingui/react/macro";
import { brasiliaText, inBrasilia } from "../../ui/text/brasilia-text.ts";
import { calendarText } from "../../ui/text/moment-text.ts";
import { sizeText } from "../../ui/text/size-text.ts";
import { WholeDates } from "../../ui/text/whole-dates.tsx";
import type { ReadStudy } from "./delivery-state.ts";
import type { DeliveredExam } from "./use-receipts.ts";

interface DeliveryPaperProps {
  productName: string;
  /** At least one. */
  receipts: readonly DeliveredExam[];
  from: string;
  to: string;
  /** What the page knows of the exams; one of which it knows nothing is numbered. */
  studies?: readonly ReadStudy[] | undefined;
}

/** The exam's description and date, as far as its images have them. */
function nameOf(study: ReadStudy | undefined): string {
  const { description = "", examinedAt = "" } = study?.about ?? {};
  return [description, examinedAt && calendarText(examinedAt.slice(0, 10))].filter(Boolean).join(", ");
}

/** The receipt of a delivery as it is printed: a table of its exams, and what each of them is checked by. */
export function DeliveryPaper({ productName, receipts, from, to, studies = [] }: DeliveryPaperProps) {
  const { i18n, t } = useLingui();
  const [first] = receipts;
  if (!first) return null;
  const { receivedAt, root } = first.receipt;
  const { day } = inBrasilia(receivedAt);
  const moment = brasiliaText(receivedAt);
  const number = `${day}-${root.slice(0, 4)}-${root.slice(4, 8)}`.toUpperCase();
  const exams = receipts.map(({ receipt, qrCode }, index) => ({
    qrCode,
    root: receipt.root,
    images: receipt.instances.length,
    name:
      nameOf(studies.find(({ about }) => about.studyInstanceUID === receipt.studyInstanceUID)) ||
      t({ id: "delivery.paper.examNumber", message: `Exam ${index + 1}` }),
    sizeBytes: receipt.instances.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
  }));
  const size = sizeText(
    i18n,
    exams.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
  );
  return (
    <article className="delivery-paper">
      <div className="delivery-paper-head">
        <div>
          <h1>
            <Trans id="delivery.paper">Delivery receipt</Trans>
          </h1>
          <span className="mono">{number}</span>
        </div>
        <b>{productName}</b>
      </div>
      <dl>
        <dt>
          <Trans id="delivery.paper.from">Delivered by</Trans>
        </dt>
        <dd>{from}</dd>
        <dt>
          <Trans id="delivery.paper.to">Delivered to</Trans>
        </dt>
        <dd>{to}</dd>
        <dt>
          <Trans id="delivery.paper.at">Received on</Trans>
        </dt>
        <dd>
          <Trans id="delivery.paper.moment">{moment} (Brasília)</Trans>
        </dd>
      </dl>
      <table>
        <thead>
          <tr>
            <th scope="col">
              <Trans id="delivery.paper.exam">Exam</Trans>
            </th>
            <th scope="col">
              <Trans id="delivery.paper.size">Size</Trans>
            </th>
            <th scope="col">
              <Trans id="delivery.paper.images">Images</Trans>
            </th>
          </tr>
        </thead>
        <tbody>
          {exams.map(({ name, root, images, sizeBytes }) => (
            <tr key={root}>
              <th scope="row">
                <WholeDates>{name}</WholeDates>
              </th>
              <td>{sizeText(i18n, sizeBytes)}</td>
              <td>{i18n.number(images)}</td>
            </tr>
          ))}
          <tr>
            <th scope="row">
              <Trans id="delivery.paper.total">Total</Trans>
            </th>
            <td>{size}</td>
            <td>{i18n.number(exams.reduce((sum, { images }) => sum + images, 0))}</td>
          </tr>
        </tbody>
      </table>
      {exams.map(({ name, root, qrCode }) => (
        <section key={root} className="delivery-check">
          <img src={qrCode} alt={t({ id: "delivery.paper.qr", message: "QR code to check the receipt" })} />
          <div>
            <b>
              {exams.length > 1 ? (
                <WholeDates>{name}</WholeDates>
              ) : (
                <Trans id="delivery.paper.fingerprint">Fingerprint of the delivery</Trans>
              )}
            </b>
            <p className="mono">{root.replace(/(.{4})(?!$)/g, "$1 ")}</p>
            <p>
              <Trans id="delivery.paper.check">
                Scan the QR code to check it. If a single bit changes, this number changes.
              </Trans>
            </p>
          </div>
        </section>
      ))}
    </article>
  );
}
