import type { I18n } from "@lingui/core";
import { msg, plural } from "@lingui/core/macro";
import type { Study } from "../../../shared/api/studies.ts";
import { fullPersonName, shortPersonName } from "../../../shared/dicom/person-name.ts";
import { calendarText } from "../../ui/text/moment-text.ts";

const noName = msg({ id: "study.noName", message: "Name not given" });
const noDate = msg({ id: "study.noDate", message: "no date" });
const noDescription = msg({ id: "study.noDescription", message: "No description" });

/** The patient's name as the list shows it: the part before the first `^`. */
export function patientText(i18n: I18n, { patientName }: Pick<Study, "patientName">): string {
  return (patientName && shortPersonName(patientName)) || i18n._(noName);
}

/** The whole name in spoken order, where there is room for it. */
export function fullPatientText(i18n: I18n, { patientName }: Pick<Study, "patientName">): string {
  return (patientName && fullPersonName(patientName)) || i18n._(noName);
}

/** How many patients are named; "…" stands for more. */
const MAX_NAMED = 3;

/** The patients of several studies, each once. */
export function patientsText(i18n: I18n, studies: readonly Pick<Study, "patientName">[]): string {
  const patients = [...new Set(studies.map((study) => fullPatientText(i18n, study)))];
  return [...patients.slice(0, MAX_NAMED), ...(patients.length > MAX_NAMED ? ["…"] : [])].join(", ");
}

export function descriptionText(i18n: I18n, { studyDescription }: Pick<Study, "studyDescription">): string {
  return studyDescription?.trim() || i18n._(noDescription);
}

type Counted = Pick<Study, "imagesReceived" | "documentsReceived">;

/** How many images a study has, without its documents. */
export function imageCountOf({ imagesReceived, documentsReceived = 0 }: Counted): number {
  return imagesReceived - documentsReceived;
}

/** "28 images, 1 document". */
export function contentText(i18n: I18n, study: Counted): string {
  const { documentsReceived: documents = 0 } = study;
  const images = imageCountOf(study);
  const parts = [
    (images > 0 || documents === 0) &&
      i18n._(msg({ id: "study.images", message: plural(images, { one: "# image", other: "# images" }) })),
    documents > 0 &&
      i18n._(
        msg({
          id: "study.documents",
          message: plural(documents, { one: "# document", other: "# documents" }),
        }),
      ),
  ];
  return parts.filter(Boolean).join(", ");
}

/** `2026-11-14` as `14-11-2026`, in English `14-Nov-2026`; says so if there is no date. */
export function dateText(i18n: I18n, isoDate: string | null): string {
  const [year, month, day] = isoDate?.slice(0, 10).split("-") ?? [];
  return year && month && day ? calendarText(`${year}-${month}-${day}`) : i18n._(noDate);
}

/** The viewer opens only studies that are in the archive store. */
export function isViewable({ storageStatus }: Pick<Study, "storageStatus">): boolean {
  return storageStatus === "b2";
}
