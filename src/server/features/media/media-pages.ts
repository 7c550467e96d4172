import { fullPersonName } from "../../../shared/dicom/person-name.ts";
import { locales } from "../../../shared/locale.ts";
import { documentsAmong } from "../studies/present-series.ts";
import type { SeriesRow, StudyRow } from "../studies/studies.table.ts";
import type { Thumbnail } from "../thumbnails/thumbnails.repo.ts";
import { discPageOf, escaped, inBoth, timeOf } from "./disc-html.ts";

const texts = {
  title: /*i18n*/ { id: "media.title", message: "Exam" },
  patient: /*i18n*/ { id: "media.patient", message: "Patient" },
  date: /*i18n*/ { id: "media.date", message: "Date" },
  institution: /*i18n*/ { id: "media.institution", message: "Clinic" },
  images: /*i18n*/ { id: "media.images", message: "Images" },
  series: /*i18n*/ { id: "media.series", message: "Series" },
  report: /*i18n*/ { id: "media.report", message: "Read the report (PDF)" },
  receipt: /*i18n*/ { id: "media.receipt", message: "Receipt of the exam (PDF)" },
  readMe: /*i18n*/ {
    id: "media.readMe",
    message:
      "This medium was made by {productName} ({publicUrl}).\n\nDICOMDIR and DICOM/: the images, bit for bit as they were received. Any DICOM viewer opens them by DICOMDIR. Files that came without the header of a DICOM file have one here, which the check below leaves out.\nINDEX.HTM: what is on the medium, with its images; open it in a browser, without the internet if you like.\nIHE_PDI/LAUDO.PDF: the report, if there is one. It is among the images too, as an instance of its own.\nIHE_PDI/RECIBO.PDF and RECIBO.JSN: the signed receipt, if there is one. At {publicUrl}/verificar anybody can check with it that not a bit of the images has changed. Nothing is sent for that.\nIHE_PDI/VARIANTS/: other images that came under the number of one above, if there are any; DICOMDIR has no place for them.\nIHE_PDI/AUDIT.JSN: who saw or changed the exam, if you own it.\n\nNot for primary diagnosis.\n",
  },
};

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

/** The page of the medium, in pieces. It needs nothing beside it, because browsers let a page of a disc load nothing. */
export function indexPageOf(
  study: StudyRow,
  allSeries: readonly SeriesRow[],
  { report, receipt, previews, discPage }: PageParts,
): Uint8Array[] {
  /** The values as HTML. */
  const facts = [
    [texts.patient, escaped(fullPersonName(study.patientName ?? "") ?? "")],
    [texts.date, study.studyDate === null ? "" : timeOf(study.studyDate, locales)],
    [texts.institution, escaped(study.institutionName ?? "")],
    [texts.images, String(study.instanceCount - documentsAmong(allSeries))],
  ] as const;
  const title = study.description ?? inBoth(texts.title);
  const rows = facts
    .filter(([, value]) => value !== "")
    .map(([name, value]) => `<dt>${escaped(inBoth(name))}</dt><dd>${value}</dd>`);
  const series = allSeries.map(
    ({ id, modality, description, instanceCount }) =>
      `<li>${pictureOf(previews.get(id))}${escaped([modality, description].filter(Boolean).join(" · "))} (${instanceCount})</li>`,
  );
  const links = [
    report && `<a href="IHE_PDI/LAUDO.PDF">${escaped(inBoth(texts.report))}</a>`,
    receipt && `<a href="IHE_PDI/RECIBO.PDF">${escaped(inBoth(texts.receipt))}</a>`,
  ];
  return discPageOf(
    title,
    `<dl>${rows.join("")}</dl>
${links.filter(Boolean).join("\n")}
<h2>${escaped(inBoth(texts.series))}</h2>
<ul>${series.join("")}</ul>
`,
    { discPage, readMe: "README.TXT" },
  );
}

function pictureOf(preview: Thumbnail | undefined): string {
  if (!preview) return "";
  return `<img alt="" src="data:${escaped(preview.contentType)};base64,${Buffer.from(preview.image).toString("base64")}">`;
}
