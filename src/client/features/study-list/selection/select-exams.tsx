import { useLingui } from "@lingui/react/macro";
import { useAtomValue, useSetAtom } from "jotai";
import type { Study } from "../../../../shared/api/studies.ts";
import { IconButton } from "../../../ui/button.tsx";
import { ListChecksIcon } from "../../../ui/icons.tsx";
import { useHis } from "../../session/his-context.ts";
import { descriptionText } from "../../studies/study-text.ts";
import { hasActions } from "../table/study-columns.tsx";
import {
  MAX_SELECTED,
  selectAtom,
  selectionAtom,
  startSelectingAtom,
  stopSelectingAtom,
} from "./selection.ts";

/** Begins and ends the choosing of several exams; for people who may do something with them. */
export function SelectButton() {
  const { t } = useLingui();
  const { role } = useHis().user;
  const isSelecting = useAtomValue(selectionAtom) !== undefined;
  const start = useSetAtom(startSelectingAtom);
  const stop = useSetAtom(stopSelectingAtom);
  if (!hasActions(role)) return null;
  return (
    <IconButton
      label={t({ id: "select.start", message: "Select exams" })}
      aria-pressed={isSelecting}
      className={isSelecting ? "is-on" : ""}
      onClick={() => (isSelecting ? stop() : start())}
    >
      <ListChecksIcon />
    </IconButton>
  );
}

/** Whether an exam is chosen, and what chooses it; undefined while nobody chooses. */
export function useSelected(study: Study) {
  const selection = useAtomValue(selectionAtom);
  const select = useSetAtom(selectAtom);
  if (!selection) return undefined;
  const isSelected = selection.has(study.id);
  return {
    isSelected,
    isFull: !isSelected && selection.size >= MAX_SELECTED,
    toggle: () => select({ studies: [study], isSelected: !isSelected }),
  };
}

/** The box of a row. */
export function SelectCell({ study }: { study: Study }) {
  const { i18n, t } = useLingui();
  const selected = useSelected(study);
  if (!selected) return null;
  const name = descriptionText(i18n, study);
  return (
    <td className="study-cell" data-column="select">
      <input
        type="checkbox"
        className="checkbox"
        aria-label={t({ id: "select.one", message: `Select ${name}` })}
        checked={selected.isSelected}
        disabled={selected.isFull}
        onChange={selected.toggle}
      />
    </td>
  );
}

/** The box of the head: all exams of the page. */
export function SelectPage({ studies }: { studies: readonly Study[] }) {
  const { t } = useLingui();
  const selection = useAtomValue(selectionAtom);
  const select = useSetAtom(selectAtom);
  if (!selection) return null;
  const count = studies.filter(({ id }) => selection.has(id)).length;
  const isWhole = count > 0 && count === studies.length;
  return (
    <th className="study-head" data-column="select" scope="col">
      <input
        type="checkbox"
        className="checkbox"
        aria-label={t({ id: "select.page", message: "Select all exams of this page" })}
        checked={isWhole}
        ref={(box) => {
          if (box) box.indeterminate = count > 0 && !isWhole;
        }}
        onChange={() => select({ studies, isSelected: !isWhole })}
      />
    </th>
  );
}
