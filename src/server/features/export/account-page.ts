import { fullPersonName } from "../../../shared/dicom/person-name.ts";
import type { Locale } from "../../../shared/locale.ts";
import { translate } from "../../http/translate.ts";
import { discPageOf, escaped } from "../media/disc-html.ts";
import type { StudyRow } from "../studies/studies.table.ts";

const texts = {
  title: /*i18n*/ { id: "export.page.title", message: "Your exams" },
  images: /*i18n*/ {
    id: "export.page.images",
    message: "{count, plural, one {# image} other {# images}} in {folder}",
  },
  report: /*i18n*/ { id: "export.page.report", message: "Read the report (PDF)" },
};

/** An exam as `exams.json` has it. */
export interface ListedExam
  extends Pick<StudyRow, "patientName" | "description" | "studyDate" | "modality" | "instanceCount"> {
  folders: string[];
  report: string | null;
  receipts: string[];
}

/** The page of an export: its exams, and the visor. */
export function accountPageOf(
  exams: readonly ListedExam[],
  { locale, discPage }: { locale: Locale; discPage: Uint8Array },
): Uint8Array {
  const rows = exams.map(
    ({ patientName, description, studyDate, modality, instanceCount, folders, report }) => {
      const facts = [studyDate, modality, description, fullPersonName(patientName ?? "")];
      const place = translate(locale, texts.images, { count: instanceCount, folder: folders.join(", ") });
      const link = report && `<a href="${escaped(report)}">${escaped(translate(locale, texts.report))}</a>`;
      return `<dt>${escaped(facts.filter(Boolean).join(" · "))}</dt><dd>${escaped(place)}${link ?? ""}</dd>`;
    },
  );
  return discPageOf(translate(locale, texts.title), `<dl>${rows.join("\n")}</dl>\n`, {
    discPage,
    readMe: locale === "pt-BR" ? "LEIA-ME.txt" : "README.txt",
  });
}
