import { createDeflate } from "node:zlib";
import { personNameForms } from "../../../shared/dicom/person-name.ts";
import type { Locale } from "../../../shared/locale.ts";
import { calendarText } from "../../../shared/rules/calendar-text.ts";
import { through } from "../../archive/pieces.ts";
import { isWritable } from "../../documents/pdf-font.ts";
import { type PdfAttachment, writePdf } from "../../documents/pdf-writer.ts";
import { translate } from "../../http/translate.ts";
import type { FoundReceipt } from "./read-receipt.ts";
import { jwsPieces, payloadOf } from "./receipt-payload.ts";
import { LEFT, RIGHT, Sheet } from "./receipt-sheet.ts";

const texts = {
  title: /*i18n*/ { id: "receipt.paper.title", message: "Receipt of an exam" },
  deliveredTitle: /*i18n*/ { id: "receipt.paper.deliveredTitle", message: "Delivery receipt" },
  from: /*i18n*/ { id: "receipt.paper.from", message: "Delivered by" },
  to: /*i18n*/ { id: "receipt.paper.to", message: "Delivered to" },
  patient: /*i18n*/ { id: "receipt.paper.patient", message: "Patient" },
  receivedAt: /*i18n*/ { id: "receipt.paper.receivedAt", message: "Received on" },
  receivedAtText: /*i18n*/ { id: "receipt.paper.receivedAtText", message: "{moment} (Brasília)" },
  exam: /*i18n*/ { id: "receipt.paper.exam", message: "Exam" },
  date: /*i18n*/ { id: "receipt.paper.date", message: "Date" },
  images: /*i18n*/ { id: "receipt.paper.images", message: "Images" },
  total: /*i18n*/ { id: "receipt.paper.total", message: "Total, {size}" },
  noDescription: /*i18n*/ { id: "receipt.paper.noDescription", message: "Exam without a description" },
  unwritableExam: /*i18n*/ {
    id: "receipt.paper.unwritableExam",
    message: "Exam with a description in a script that this paper can't show",
  },
  noName: /*i18n*/ { id: "receipt.paper.noName", message: "Name not given" },
  unwritableName: /*i18n*/ {
    id: "receipt.paper.unwritableName",
    message: "Name in a script that this paper can't show",
  },
  unwritableNameOf: /*i18n*/ {
    id: "receipt.paper.unwritableNameOf",
    message: "Name in a script that this paper can't show (patient ID {id})",
  },
  fingerprint: /*i18n*/ { id: "receipt.paper.fingerprint", message: "Fingerprint of the exam" },
  check: /*i18n*/ {
    id: "receipt.paper.check",
    message: "Scan the QR code to check it. If a single bit changes, this number changes.",
  },
  howTo: /*i18n*/ {
    id: "receipt.paper.howTo",
    message:
      "This file holds the signed receipt with the SHA-256 of every image. To check a copy of the exam, open {url} and choose this file and the folder or ZIP with the images. Nothing leaves the device.",
  },
  howToSeveral: /*i18n*/ {
    id: "receipt.paper.howToSeveral",
    message:
      "This file holds the signed receipt of each exam with the SHA-256 of every image. To check a copy of an exam, open {url} and choose this file and the folder or ZIP with the images. Nothing leaves the device.",
  },
  attachment: /*i18n*/ { id: "receipt.paper.attachment", message: "The signed receipt (JWS)" },
};

type Say = (text: { id: string; message: string }, values?: Record<string, string>) => string;

/** What a paper is about. */
export interface Papered {
  /** At least one; those of one delivery together. */
  receipts: readonly FoundReceipt[];
  /** Whom they were delivered to. */
  to?: string | undefined;
}

/** The paper of receipts: a table of the exams, for each a QR code, and the signed receipts attached. */
export async function drawReceipts(
  { receipts, to }: Papered,
  { locale, productName, publicUrl }: { locale: Locale; productName: string; publicUrl: string },
): Promise<Uint8Array> {
  const say: Say = (text, values) => translate(locale, text, values);
  const [first] = receipts;
  if (!first) throw new RangeError("a paper without a receipt");
  const { receivedFrom, receivedAt } = first.receipt;
  const title = say(receivedFrom === null ? texts.title : texts.deliveredTitle);
  const number = receiptNumber(first.receipt);
  const sheet = new Sheet();
  sheet.page.text(productName, RIGHT, 80, { size: 11, font: "bold", align: "right" });
  sheet.page.text(title, LEFT, 80, { size: 20, font: "bold" });
  sheet.page.text(number, LEFT, 98, { size: 10, font: "mono" });
  sheet.page.line(LEFT, RIGHT, 112, { width: 1 });
  sheet.y = 138;

  const patients = new Set(receipts.map(({ study }) => patientText(study, say)));
  const whose = ({ study }: FoundReceipt) =>
    patients.size > 1 ? patientText(study, say) || say(texts.noName) : undefined;
  const writable = (name: string) => (isWritable(name) ? name : say(texts.unwritableName));
  sheet.facts([
    [say(texts.patient), [...patients].filter(Boolean).join(", ")],
    [say(texts.from), writable(receivedFrom ?? "")],
    [say(texts.to), writable(to ?? "")],
    [say(texts.receivedAt), say(texts.receivedAtText, { moment: momentText(receivedAt, locale) })],
  ]);

  const numberText = (value: number) => new Intl.NumberFormat(locale).format(value);
  sheet.headings([say(texts.exam), say(texts.date), say(texts.images)]);
  for (const found of receipts) {
    const { study, receipt } = found;
    const facts = [dayText(study.studyDate, locale), numberText(receipt.instanceCount)] as const;
    sheet.row([examText(study, say), ...facts], whose(found));
  }
  const sum = (of: (receipt: FoundReceipt["receipt"]) => number) =>
    receipts.reduce((total, { receipt }) => total + of(receipt), 0);
  const size = sizeText(
    sum(({ sizeBytes }) => sizeBytes),
    locale,
  );
  sheet.total(say(texts.total, { size }), numberText(sum(({ instanceCount }) => instanceCount)));

  for (const [index, found] of receipts.entries()) {
    const { study, receipt } = found;
    sheet.fingerprint({
      address: checkAddress(publicUrl, receipt),
      title: say(texts.fingerprint),
      exam: receipts.length > 1 ? `${index + 1}. ${examText(study, say)}` : undefined,
      patient: whose(found),
      root: receipt.root,
      note: say(texts.check),
    });
  }
  const url = `${publicUrl}/verificar`;
  sheet.closing(say(receipts.length > 1 ? texts.howToSeveral : texts.howTo, { url }));
  sheet.numberPages(number);

  const attachments: PdfAttachment[] = [];
  for (const [index, { receipt }] of receipts.entries()) {
    const name = receipts.length > 1 ? `recibo-${String(index + 1).padStart(3, "0")}.jws` : "recibo.jws";
    const type = "application/jose";
    attachments.push({ name, type, description: say(texts.attachment), ...(await deflatedJws(receipt)) });
  }
  return writePdf({
    title: `${title} ${number}`,
    locale,
    createdAt: first.receipt.createdAt,
    pages: sheet.pages,
    attachments,
  });
}

/** The patient, by the first form of the name that the paper's font can write; empty if there is no name. */
function patientText({ patientName, patientID }: FoundReceipt["study"], say: Say): string {
  const forms = personNameForms(patientName ?? "");
  const written = forms.find(isWritable);
  if (written !== undefined || forms.length === 0) return written ?? "";
  const id = patientID?.trim() ?? "";
  return id !== "" && isWritable(id) ? say(texts.unwritableNameOf, { id }) : say(texts.unwritableName);
}

function examText({ description }: FoundReceipt["study"], say: Say): string {
  const text = description?.trim() || say(texts.noDescription);
  return isWritable(text) ? text : say(texts.unwritableExam);
}

/** Where a receipt is checked: what its QR code says. */
export function checkAddress(publicUrl: string, { digestJws }: FoundReceipt["receipt"]): string {
  return `${publicUrl}/verificar#${digestJws}`;
}

/** Only the deflated bytes of the JWS are held. */
async function deflatedJws(
  receipt: FoundReceipt["receipt"],
): Promise<Pick<PdfAttachment, "deflated" | "sizeBytes">> {
  const payload = await payloadOf(receipt);
  let sizeBytes = 0;
  async function* counted() {
    for (const piece of jwsPieces(payload, receipt)) {
      sizeBytes += piece.length;
      yield Buffer.from(piece, "latin1");
    }
  }
  const deflated = Buffer.concat(await Array.fromAsync(through(counted(), createDeflate())));
  return { deflated, sizeBytes };
}

/** A short name for people: the day that the paper says, and the beginning of the root. */
function receiptNumber({ receivedAt, root }: FoundReceipt["receipt"]): string {
  const { day } = inBrasilia(receivedAt);
  return `${day}-${root.slice(0, 4)}-${root.slice(4, 8)}`.toUpperCase();
}

function momentText(moment: Date, locale: Locale): string {
  const { day, time } = inBrasilia(moment);
  return `${dayText(day, locale)}, ${time}`;
}

function inBrasilia(moment: Date): { day: string; time: string } {
  // Swedish writes days and times as ISO 8601 does.
  const [day = "", time = ""] = moment.toLocaleString("sv-SE", { timeZone: "America/Sao_Paulo" }).split(" ");
  return { day, time };
}

/** A day as all screens write it. */
function dayText(day: string | null, locale: Locale): string {
  return day ? calendarText(day, locale) : "–";
}

function sizeText(bytes: number, locale: Locale): string {
  const [unit, factor] = bytes < 1e6 ? ["kB", 1e3] : bytes < 1e9 ? ["MB", 1e6] : (["GB", 1e9] as const);
  const maximumFractionDigits = bytes / Number(factor) < 10 ? 1 : 0;
  return `${new Intl.NumberFormat(locale, { maximumFractionDigits }).format(bytes / Number(factor))} ${unit}`;
}
