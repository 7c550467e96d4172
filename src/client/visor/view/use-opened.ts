import { useCallback, useState } from "react";
import { useInnerStep } from "../../ui/use-inner-step.ts";
import { useOpener } from "../../ui/use-opener.ts";
import type { Comparison } from "./use-comparison.ts";

export type Sheet = "menu" | "information" | "keys";

interface OpenedOptions {
  comparison: Comparison;
  isComparing: boolean;
  hasLaudo: boolean;
  /** There the laudo is a sheet; elsewhere it is a panel, which Back leaves alone. */
  isPhone: boolean;
}

/** What is open over the film or beside it. Back closes what is on top. */
export function useOpened({ comparison, isComparing, hasLaudo, isPhone }: OpenedOptions) {
  const [sheet, setSheet] = useState<Sheet>();
  const [isLaudoAsked, setLaudoOpen] = useState(false);
  const isLaudoOpen = isLaudoAsked && hasLaudo;
  const below = isLaudoOpen && isPhone ? "laudo" : isComparing ? "comparison" : undefined;
  useInnerStep<Sheet | "laudo" | "comparison">(sheet ?? below, (asked) => {
    if (asked === "comparison") void comparison.open();
    else if (asked === "laudo") setLaudoOpen(true);
    else if (asked || sheet) setSheet(asked);
    else if (below === "laudo") setLaudoOpen(false);
    else comparison.close();
  });
  return {
    /** What had the focus when the first of some sheets opened. */
    opener: useOpener(sheet !== undefined),
    sheet,
    isLaudoOpen,
    setLaudoOpen,
    showMenu: useCallback(() => setSheet("menu"), []),
    showInformation: () => setSheet("information"),
    showKeys: useCallback(() => setSheet("keys"), []),
    closeSheet: () => setSheet(undefined),
    closeAll: useCallback(() => {
      setSheet(undefined);
      setLaudoOpen(false);
    }, []),
  };
}
