import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { IntegrityFinding } from "../../../shared/api/integrity.ts";

export const kindNames: Record<IntegrityFinding["kind"], MessageDescriptor> = {
  volume: msg({ id: "integrity.kind.volume", message: "Images of an exam" }),
  manifest: msg({ id: "integrity.kind.manifest", message: "Index of a series" }),
  report: msg({ id: "integrity.kind.report", message: "Report" }),
  lab: msg({ id: "integrity.kind.lab", message: "Laboratory PDF" }),
};

export const healingTexts: Record<NonNullable<IntegrityFinding["healedBy"]>, MessageDescriptor> = {
  reread: msg({ id: "integrity.healed.reread", message: "Read again: as it was stored" }),
  copy: msg({ id: "integrity.healed.copy", message: "Restored from another copy" }),
  upload: msg({ id: "integrity.healed.upload", message: "The exam was uploaded again" }),
  removed: msg({ id: "integrity.healed.removed", message: "Removed by a person" }),
};

/** What the admin can do about an open finding. */
export function adviceFor({ kind }: Pick<IntegrityFinding, "kind">): MessageDescriptor {
  if (kind === "lab")
    return msg({
      id: "integrity.advice.lab",
      message: "Without another copy: bring the file back from a backup, or have the PDF sent again.",
    });
  if (kind === "report")
    return msg({
      id: "integrity.advice.report",
      message: "Without another copy: bring the file back from a backup, or have the report replaced.",
    });
  return msg({
    id: "integrity.advice.exam",
    message: "Without another copy: bring the file back from a backup, or have the exam uploaded again.",
  });
}
