import type { Study } from "../../../shared/api/studies.ts";

export type Dated = Pick<Study, "studyDate" | "modality">;

/** Earlier ones of its modality, then the other earlier ones, then later ones, each from the newest to the oldest. */
export function nearestFirst<Other extends Dated>(study: Dated, others: readonly Other[]): Other[] {
  const dateOf = ({ studyDate }: Dated) => studyDate ?? "";
  const rankOf = (other: Other) => {
    if (dateOf(other) > dateOf(study)) return 2;
    return other.modality === study.modality ? 0 : 1;
  };
  return others.toSorted((a, b) => rankOf(a) - rankOf(b) || dateOf(b).localeCompare(dateOf(a)));
}
