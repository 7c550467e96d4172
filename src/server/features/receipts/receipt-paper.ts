import { createDeflate } from "node:zlib";
import { shortPersonName } from "../../../shared/dicom/person-name.ts";
import type { Locale } from "../../../shared/locale.ts";
import { through } from "../../archive/pieces.ts";
import { wrapText } from "../../documents/pdf-font.ts";
import { PAGE, type PdfAttachment, PdfPage, writePdf } from "../../documents/pdf-writer.ts";
import { translate } from "../../http/translate.ts";
import { qrModules } from "../../render/qr-code.ts";
import type { FoundReceipt } from "./read-receipt.ts";
import { jwsPieces, payloadOf } from "./receipt-payload.ts";

const texts = {
  title: /*i18n*/ { id: "receipt.paper.title", message: "Receipt of an exam" },
  deliveredTitle: /*i18n*/ { id: "receipt.paper.deliveredTitle", message: "Proof of delivery" },
  from: /*i18n*/ { id: "receipt.paper.from", message: "Delivered by" },
  patient: /*i18n*/ { id: "receipt.paper.patient", message: "Patient" },
  receivedAt: /*i18n*/ { id: "receipt.paper.receivedAt", message: "Received on" },
  receivedAtText: /*i18n*/ { id: "receipt.paper.receivedAtText", message: "{moment} (Brasília)" },
  exam: /*i18n*/ { id: "receipt.paper.exam", message: "Exam" },
  date: /*i18n*/ { id: "receipt.paper.date", message: "Date" },
  images: /*i18n*/ { id: "receipt.paper.images", message: "Images" },
  total: /*i18n*/ { id: "receipt.paper.total", message: "Total, {size}" },
  noDescription: /*i18n*/ { id: "receipt.paper.noDescription", message: "Exam without a description" },
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
  attachment: /*i18n*/ { id: "receipt.paper.attachment", message: "The signed receipt (JWS)" },
};

const LEFT = 56;
const RIGHT = PAGE.width - LEFT;
const VALUES = LEFT + 92;
const DATES = 370;
const QR_SIDE = 132;
const FAINT = 0.4;
const ENGLISH_MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** The paper of a receipt: one page with a QR code, and the signed receipt attached to it. */
export async function drawReceipt(
  { study, receipt }: FoundReceipt,
  { locale, productName, publicUrl }: { locale: Locale; productName: string; publicUrl: string },
): Promise<Uint8Array> {
  const say = (text: { id: string; message: string }, values?: Record<string, string>) =>
    translate(locale, text, values);
  const title = say(receipt.receivedFrom === null ? texts.title : texts.deliveredTitle);
  const page = new PdfPage();
  page.text(productName, RIGHT, 80, { size: 11, font: "bold", align: "right" });
  page.text(title, LEFT, 80, { size: 20, font: "bold" });
  page.text(receiptNumber(receipt), LEFT, 98, { size: 10, font: "mono" });
  page.line(LEFT, RIGHT, 112, { width: 1 });

  const facts: [string, string][] = [
    [say(texts.patient), shortPersonName(study.patientName ?? "") ?? ""],
    [say(texts.from), receipt.receivedFrom ?? ""],
    [say(texts.receivedAt), say(texts.receivedAtText, { moment: momentText(receipt.receivedAt, locale) })],
  ];
  let y = 138;
  for (const [name, value] of facts.filter(([, value]) => value !== "")) {
    page.text(name, LEFT, y, { size: 10.5, gray: FAINT });
    for (const line of wrapText(value, { font: "regular", size: 10.5, width: RIGHT - VALUES, maxLines: 3 })) {
      page.text(line, VALUES, y, { size: 10.5 });
      y += 16;
    }
    y += 4;
  }

  y += 16;
  const head = { size: 10, gray: FAINT };
  page.text(say(texts.exam), LEFT, y, head);
  page.text(say(texts.date), DATES, y, head);
  page.text(say(texts.images), RIGHT, y, { ...head, align: "right" });
  page.line(LEFT, RIGHT, y + 8, { gray: 0.6 });
  y += 26;
  const count = new Intl.NumberFormat(locale).format(receipt.instanceCount);
  page.text(dayText(study.studyDate, locale), DATES, y, { size: 10.5 });
  page.text(count, RIGHT, y, { size: 10.5, align: "right" });
  const description = study.description?.trim() || say(texts.noDescription);
  for (const line of wrapText(description, {
    font: "regular",
    size: 10.5,
    width: DATES - LEFT - 16,
    maxLines: 3,
  })) {
    page.text(line, LEFT, y, { size: 10.5 });
    y += 16;
  }
  page.line(LEFT, RIGHT, y - 4, { gray: 0.85 });
  y += 16;
  page.text(say(texts.total, { size: sizeText(receipt.sizeBytes, locale) }), LEFT, y, {
    size: 10.5,
    font: "bold",
  });
  page.text(count, RIGHT, y, { size: 10.5, font: "bold", align: "right" });
  page.line(LEFT, RIGHT, y + 10, { gray: 0.85 });

  y += 40;
  page.squares(qrModules(`${publicUrl}/verificar#${receipt.digestJws}`), LEFT, y, QR_SIDE);
  const beside = LEFT + QR_SIDE + 24;
  page.text(say(texts.fingerprint), beside, y + 12, { size: 11, font: "bold" });
  for (const [index, line] of (receipt.root.match(/.{32}/g) ?? []).entries())
    page.text(line.replace(/(.{4})(?!$)/g, "$1 "), beside, y + 32 + index * 15, { size: 9.5, font: "mono" });
  const note = { font: "regular", size: 9, maxLines: 12 } as const;
  for (const [index, line] of wrapText(say(texts.check), { ...note, width: RIGHT - beside }).entries())
    page.text(line, beside, y + 68 + index * 12, { size: 9, gray: FAINT });
  y += QR_SIDE + 28;
  const howTo = say(texts.howTo, { url: `${publicUrl}/verificar` });
  for (const [index, line] of wrapText(howTo, { ...note, width: RIGHT - LEFT }).entries())
    page.text(line, LEFT, y + index * 12, { size: 9, gray: FAINT });

  return writePdf({
    ...{ title: `${title} ${receiptNumber(receipt)}`, locale, createdAt: receipt.createdAt, page },
    attachment: {
      ...{ name: "recibo.jws", type: "application/jose", description: say(texts.attachment) },
      ...(await deflatedJws(receipt)),
    },
  });
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

/** A short name for people: the day, and the beginning of the root. */
function receiptNumber({ receivedAt, root }: FoundReceipt["receipt"]): string {
  const day = receivedAt.toISOString().slice(0, 10);
  return `${day}-${root.slice(0, 4)}-${root.slice(4, 8)}`.toUpperCase();
}

function momentText(moment: Date, locale: Locale): string {
  const parts = new Intl.DateTimeFormat("en-CA", {
    ...{ timeZone: "America/Sao_Paulo", hourCycle: "h23" },
    ...{ year: "numeric", month: "2-digit", day: "2-digit" },
    ...{ hour: "2-digit", minute: "2-digit", second: "2-digit" },
  }).formatToParts(moment);
  const of = (type: string) => parts.find((part) => part.type === type)?.value ?? "";
  const day = dayText(`${of("year")}-${of("month")}-${of("day")}`, locale);
  return `${day}, ${of("hour")}:${of("minute")}:${of("second")}`;
}

/** A day as all screens write it. */
function dayText(day: string | null, locale: Locale): string {
  const [year = "", month = "", date = ""] = (day ?? "").split("-");
  if (year === "") return "–";
  return `${date}-${locale === "en-US" ? (ENGLISH_MONTHS[Number(month) - 1] ?? month) : month}-${year}`;
}

function sizeText(bytes: number, locale: Locale): string {
  const [unit, factor] = bytes < 1e6 ? ["kB", 1e3] : bytes < 1e9 ? ["MB", 1e6] : (["GB", 1e9] as const);
  const maximumFractionDigits = bytes / Number(factor) < 10 ? 1 : 0;
  return `${new Intl.NumberFormat(locale, { maximumFractionDigits }).format(bytes / Number(factor))} ${unit}`;
}
