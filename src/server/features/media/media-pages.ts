import { shortPersonName } from "../../../shared/dicom/person-name.ts";
import { type Locale, locales } from "../../../shared/locale.ts";
import { translate } from "../../http/translate.ts";
import type { SeriesRow, StudyRow } from "../studies/studies.table.ts";
import type { Thumbnail } from "../thumbnails/thumbnails.repo.ts";

const texts = {
  title: /*i18n*/ { id: "media.title", message: "Exam" },
  patient: /*i18n*/ { id: "media.patient", message: "Patient" },
  date: /*i18n*/ { id: "media.date", message: "Date" },
  institution: /*i18n*/ { id: "media.institution", message: "Clinic" },
  images: /*i18n*/ { id: "media.images", message: "Images" },
  series: /*i18n*/ { id: "media.series", message: "Series" },
  report: /*i18n*/ { id: "media.report", message: "Read the report (PDF)" },
  receipt: /*i18n*/ { id: "media.receipt", message: "Receipt of the exam (PDF)" },
  open: /*i18n*/ {
    id: "media.open",
    message: "To see the images, open this folder in a DICOM viewer: it reads the file DICOMDIR.",
  },
  notDiagnostic: /*i18n*/ { id: "media.notDiagnostic", message: "Not for primary diagnosis" },
  readMe: /*i18n*/ {
    id: "media.readMe",
    message:
      "This medium was made by {productName} ({publicUrl}).\n\nDICOMDIR and DICOM/: the images, bit for bit as they were received. Any DICOM viewer opens them by DICOMDIR.\nINDEX.HTM: what is on the medium; open it in a browser.\nIHE_PDI/LAUDO.PDF: the report, if there is one. It is among the images too, as an instance of its own.\nIHE_PDI/RECIBO.PDF and RECIBO.JSN: the signed receipt. At {publicUrl}/verificar anybody can check with it that not a bit of the images has changed. Nothing is sent for that.\nIHE_PDI/AUDIT.JSN: who saw or changed the exam, if you own it.\n\nNot for primary diagnosis.\n",
  },
};

/** A medium is read by people whose language nobody knows: each text stands in both. */
const inBoth = (text: { id: string; message: string }, values?: Record<string, string>, between = " · ") =>
  [...new Set(locales.map((locale: Locale) => translate(locale, text, values)))].join(between);

export function readMeOf(product: { productName: string; publicUrl: string }): Uint8Array {
  return Buffer.from(inBoth(texts.readMe, product, "\n---\n\n").replaceAll("\n", "\r\n"));
}

/** What stands on the page besides the study's facts. */
interface PageParts {
  report: boolean;
  receipt: boolean;
  /** Small pictures by the row of their series. */
  previews: ReadonlyMap<string, Thumbnail>;
  /** The visor as one piece of HTML; empty where the client was not built. */
  discPage: Uint8Array;
}

/** The page of the medium. It needs nothing beside it, because browsers let a page of a disc load nothing. */
export function indexPageOf(
  study: StudyRow,
  allSeries: readonly SeriesRow[],
  { report, receipt, previews, discPage }: PageParts,
): Uint8Array {
  const facts = [
    [texts.patient, shortPersonName(study.patientName ?? "") ?? ""],
    [texts.date, study.studyDate ?? ""],
    [texts.institution, study.institutionName ?? ""],
    [texts.images, String(study.instanceCount)],
  ] as const;
  const title = escaped(study.description ?? inBoth(texts.title));
  const rows = facts
    .filter(([, value]) => value !== "")
    .map(([name, value]) => `<dt>${escaped(inBoth(name))}</dt><dd>${escaped(value)}</dd>`);
  const series = allSeries.map(
    ({ id, modality, description, instanceCount }) =>
      `<li>${pictureOf(previews.get(id))}${escaped([modality, description].filter(Boolean).join(" · "))} (${instanceCount})</li>`,
  );
  const links = [
    report && `<a href="IHE_PDI/LAUDO.PDF">${escaped(inBoth(texts.report))}</a>`,
    receipt && `<a href="IHE_PDI/RECIBO.PDF">${escaped(inBoth(texts.receipt))}</a>`,
  ];
  const before = `<!doctype html>
<html lang="pt-BR" data-theme="light">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:44rem;margin:2rem auto;padding:0 1rem}dt{color:#555}dd{margin:0 0 .5rem}a{display:block;margin:.5rem 0}ul{display:flex;flex-wrap:wrap;gap:1rem;padding:0;list-style:none}li{width:9rem}li img{display:block;width:9rem;height:9rem;object-fit:contain;background:#000}</style>
<h1>${title}</h1>
<dl>${rows.join("")}</dl>
${links.filter(Boolean).join("\n")}
<h2>${escaped(inBoth(texts.series))}</h2>
<ul>${series.join("")}</ul>
`;
  const behind = `<p>${escaped(inBoth(texts.open))}</p>
<p><a href="DICOMDIR">DICOMDIR</a> <a href="README.TXT">README.TXT</a></p>
<p><small>${escaped(inBoth(texts.notDiagnostic))}</small></p>
</html>
`;
  return Buffer.concat([Buffer.from(before), discPage, Buffer.from(behind)]);
}

function pictureOf(preview: Thumbnail | undefined): string {
  if (!preview) return "";
  return `<img alt="" src="data:${escaped(preview.contentType)};base64,${Buffer.from(preview.image).toString("base64")}">`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
