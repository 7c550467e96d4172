/** @jsxImportSource hono/jsx */
import { type Child, createElement } from "hono/jsx";
import { isoTime } from "../dicom/date.ts";
import type { DicomJson } from "../dicom/dicom-json.ts";
import { TagHex } from "../dicom/tags.ts";
import type { Locale } from "../locale.ts";
import {
  codeText,
  dateText,
  dateTimeText,
  itemOf,
  itemsOf,
  nameText,
  ReportUnreadable,
  textOf,
  valueText,
} from "./content-items.ts";

const texts = {
  report: /*i18n*/ { id: "structuredReport.title", message: "Structured report" },
  patient: /*i18n*/ { id: "structuredReport.patient", message: "Patient" },
  patientID: /*i18n*/ { id: "structuredReport.patientID", message: "Patient ID" },
  birthDate: /*i18n*/ { id: "structuredReport.birthDate", message: "Born on" },
  written: /*i18n*/ { id: "structuredReport.written", message: "Written on" },
  institution: /*i18n*/ { id: "structuredReport.institution", message: "Clinic" },
  completion: /*i18n*/ { id: "structuredReport.completion", message: "Content" },
  complete: /*i18n*/ { id: "structuredReport.complete", message: "Complete" },
  partial: /*i18n*/ { id: "structuredReport.partial", message: "Partial" },
  preliminary: /*i18n*/ { id: "structuredReport.preliminary", message: "Preliminary" },
  verification: /*i18n*/ { id: "structuredReport.verification", message: "Verification" },
  unverified: /*i18n*/ { id: "structuredReport.unverified", message: "Not verified" },
  verified: /*i18n*/ { id: "structuredReport.verified", message: "Verified" },
  verifiedBy: /*i18n*/ { id: "structuredReport.verifiedBy", message: "Verified by {name}" },
  item: /*i18n*/ { id: "structuredReport.item", message: "Item {number}" },
  noValue: /*i18n*/ { id: "structuredReport.noValue", message: "no value" },
};

/** Of content items, their lines and references, and observers: whatever else there is to do waits while a page is drawn. */
const MAX_PARTS = 30_000;

export interface ReportLanguage {
  locale: Locale;
  /** Translates into that language. */
  say(text: { id: string; message: string }, values?: Record<string, string>): string;
}

interface Page extends ReportLanguage {
  /** Told before each list of parts is drawn. @throws {ReportUnreadable} if they are too many for a page */
  count(parts: readonly unknown[]): void;
}

/**
 * A structured report as an HTML page: its header, and every content item with the name of its concept (PS3.3 §C.17.3).
 * @throws {ReportUnreadable} if its metadata lack its texts, or if it has no content or too much
 */
export function structuredReportHtml(report: DicomJson, { locale, say }: ReportLanguage): string {
  if (!report[TagHex.ValueType]) throw new ReportUnreadable("no content");
  let left = MAX_PARTS;
  const count: Page["count"] = ({ length }) => {
    left -= length;
    if (left < 0) throw new ReportUnreadable(`more than ${MAX_PARTS} parts`);
  };
  const page = { locale, say, count };
  const title = codeText(itemOf(report, TagHex.ConceptNameCodeSequence)) ?? say(texts.report);
  const html = (
    <html lang={locale}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{title}</title>
      </head>
      <body>
        <h1>{title}</h1>
        <dl>
          {headerOf(report, page).map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
        {contentOf(report, [1], page)}
      </body>
    </html>
  );
  return `<!doctype html>${html}`;
}

/** The facts of the header that it has, and who vouches for it. */
function headerOf(report: DicomJson, page: Page): [string, string][] {
  const { locale, say } = page;
  const written = [
    dateText(textOf(report, TagHex.ContentDate), locale),
    isoTime(textOf(report, TagHex.ContentTime)),
  ];
  const facts: [string, string][] = [
    [say(texts.patient), nameText(report, TagHex.PatientName)],
    [say(texts.patientID), textOf(report, TagHex.PatientID)],
    [say(texts.birthDate), dateText(textOf(report, TagHex.PatientBirthDate), locale)],
    [say(texts.institution), textOf(report, TagHex.InstitutionName)],
    [say(texts.written), written.filter(Boolean).join(" ")],
    [say(texts.completion), completionText(report, page)],
    [say(texts.verification), verificationText(report, page)],
  ];
  return facts.filter(([, value]) => value !== "");
}

function completionText(report: DicomJson, { say }: Page): string {
  const flag = textOf(report, TagHex.CompletionFlag);
  const facts = [
    flag === "" ? "" : say(flag === "COMPLETE" ? texts.complete : texts.partial),
    textOf(report, TagHex.CompletionFlagDescription),
    textOf(report, TagHex.PreliminaryFlag) === "PRELIMINARY" ? say(texts.preliminary) : "",
  ];
  return facts.filter(Boolean).join(", ");
}

function verificationText(report: DicomJson, { locale, say, count }: Page): string {
  const flag = textOf(report, TagHex.VerificationFlag);
  if (flag !== "VERIFIED") return flag === "" ? "" : say(texts.unverified);
  const observers = itemsOf(report, TagHex.VerifyingObserverSequence);
  count(observers);
  const vouched = observers.map((observer) => {
    const name = nameText(observer, TagHex.VerifyingObserverName);
    const at = dateTimeText(textOf(observer, TagHex.VerificationDateTime), locale);
    const organization = textOf(observer, TagHex.VerifyingOrganization);
    return [say(texts.verifiedBy, { name }), organization, at].filter(Boolean).join(", ");
  });
  return vouched.join("; ") || say(texts.verified);
}

/**
 * The content items of an item, those of a container below a heading.
 * @param place of the item: which one it is at each level, counted from 1, as Referenced Content Item Identifier has it
 */
function contentOf(parent: DicomJson, place: readonly number[], page: Page): Child[] {
  const items = itemsOf(parent, TagHex.ContentSequence);
  page.count(items);
  return items.map((item, index) => {
    const placeOfItem = [...place, index + 1];
    const id = idOf(placeOfItem);
    const name = codeText(itemOf(item, TagHex.ConceptNameCodeSequence));
    const inner = contentOf(item, placeOfItem, page);
    if (textOf(item, TagHex.ValueType) === "CONTAINER") {
      return (
        <section key={id} id={id}>
          {name && createElement(`h${Math.min(placeOfItem.length, 6)}`, {}, name)}
          {inner}
        </section>
      );
    }
    return (
      <div key={id} id={id}>
        {name && <b>{name}</b>}
        {shownValue(item, page)}
        {inner.length > 0 && <blockquote>{inner}</blockquote>}
      </div>
    );
  });
}

const idOf = (place: readonly unknown[]) => `item-${place.join(".")}`;

/** The value, each of its lines by itself; of a reference to another item, a link to that. */
function shownValue(item: DicomJson, { locale, say, count }: Page): Child {
  const referenced = item[TagHex.ReferencedContentItemIdentifier]?.Value;
  if (referenced) {
    count(referenced);
    return (
      <p>
        <a href={`#${idOf(referenced)}`}>{say(texts.item, { number: referenced.join(".") })}</a>
      </p>
    );
  }
  count(itemsOf(item, TagHex.ReferencedSOPSequence));
  const lines = (valueText(item, locale) || say(texts.noValue)).split(/\r\n|\n|\r/);
  count(lines);
  return [...lines.entries()].map(([number, line]) => <p key={number}>{line}</p>);
}
