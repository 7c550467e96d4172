import type { LabExam } from "../../../shared/api/labs.ts";
import { fullPersonName } from "../../../shared/dicom/person-name.ts";
import type { Locale } from "../../../shared/locale.ts";
import { translate } from "../../http/translate.ts";
import { WorkTurn } from "../../runtime/work-turn.ts";
import { discPageOf, escaped, timeOf } from "../media/disc-html.ts";
import { documentsAmong } from "../studies/present-series.ts";
import type { SeriesRow, StudyRow } from "../studies/studies.table.ts";

const texts = {
  title: /*i18n*/ { id: "export.page.title", message: "Your exams" },
  images: /*i18n*/ {
    id: "export.page.images",
    message: "{count, plural, one {# image} other {# images}} in {folder}",
  },
  report: /*i18n*/ { id: "export.page.report", message: "Read the report (PDF)" },
  receipt: /*i18n*/ { id: "export.page.receipt", message: "Receipt of the exam (PDF)" },
  labs: /*i18n*/ { id: "export.page.labs", message: "Laboratory exams" },
};

/** An exam as `exams.json` has it. */
export interface ListedExam
  extends Pick<StudyRow, "patientName" | "description" | "studyDate" | "modality" | "instanceCount"> {
  series: Pick<SeriesRow, "modality" | "instanceCount">[];
  folders: string[];
  report: string | null;
  /** As JSON; each has the same on paper beside it. */
  receipts: string[];
}

/** A laboratory exam as `exams.json` has it. */
export interface ListedLabExam extends Pick<LabExam, "laudoDescription" | "examDate"> {
  /** Null if it can't be read. */
  file: string | null;
}

/** The pieces of an export's page: its exams, and the visor; written in turns with other work. */
export async function accountPageOf(
  { studies, laboratory }: { studies: readonly ListedExam[]; laboratory: readonly ListedLabExam[] },
  { locale, discPage }: { locale: Locale; discPage: Uint8Array },
): Promise<Uint8Array[]> {
  const link = (file: string, text: string) => `<a href="${escaped(file)}">${text}</a>`;
  const [report, receipt] = [texts.report, texts.receipt].map((text) => escaped(translate(locale, text)));
  const turn = new WorkTurn();
  const rows: string[] = [];
  for (const exam of studies) {
    if (turn.isOver()) await turn.next();
    const { patientName, description, studyDate, modality, instanceCount, folders } = exam;
    const count = instanceCount - documentsAmong(exam.series);
    const place = translate(locale, texts.images, { count, folder: folders.join(", ") });
    const links = [
      ...(exam.report === null ? [] : [link(exam.report, report ?? "")]),
      ...exam.receipts.map((file) => link(file.replace(/\.json$/, ".pdf"), receipt ?? "")),
    ];
    const named = description ? `<b>${escaped(description)}</b> · ` : "";
    const said = [fullPersonName(patientName ?? ""), modality];
    rows.push(
      `<dt>${named}${factsOf(said, studyDate, locale)}</dt><dd>${escaped(place)}${links.join("")}</dd>`,
    );
  }
  const labs: string[] = [];
  for (const { laudoDescription, examDate, file } of laboratory) {
    if (turn.isOver()) await turn.next();
    const facts = factsOf([laudoDescription], examDate, locale);
    labs.push(file === null ? `<p>${facts}</p>` : link(file, facts));
  }
  const section =
    labs.length > 0 &&
    `<h2>${escaped(translate(locale, texts.labs))}</h2>\n<section>${labs.join("\n")}</section>\n`;
  return discPageOf(translate(locale, texts.title), `<dl>${rows.join("\n")}</dl>\n${section || ""}`, {
    discPage,
    readMe: locale === "pt-BR" ? "LEIA-ME.txt" : "README.txt",
  });
}

/** What is known of an exam, as HTML; its day as the product's pages have it, never broken between two lines. */
function factsOf(said: readonly (string | null)[], day: string | null, locale: Locale): string {
  const facts = said.flatMap((fact) => (fact ? [escaped(fact)] : []));
  if (day === null) return facts.join(" · ");
  return [...facts, timeOf(day, [locale])].join(" · ");
}
