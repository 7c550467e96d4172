import { useCallback, useRef, useState } from "react";
import { useInnerStep } from "../../ui/hooks/use-inner-step.ts";
import { useOpener } from "../../ui/hooks/use-opener.ts";
import type { DocumentRecord } from "../core/source.ts";
import type { VisorModel } from "../core/visor-model.ts";
import type { Comparison } from "./use-comparison.ts";

export type Opened = ReturnType<typeof useOpened>;

const SHEETS = ["menu", "information", "keys"] as const;
export type Sheet = (typeof SHEETS)[number];

/** A document, and the study that it is of. */
export interface ShownDocument {
  document: DocumentRecord;
  model: VisorModel;
}

interface OpenedOptions {
  own: VisorModel;
  comparison: Comparison;
  isComparing: boolean;
  hasLaudo: boolean;
  /** There the laudo is a sheet; elsewhere it is a panel, which Back leaves alone. */
  isPhone: boolean;
}

/** What is open over the film or beside it. Back closes what is on top. */
export function useOpened({ own, comparison, isComparing, hasLaudo, isPhone }: OpenedOptions) {
  const [sheet, setSheet] = useState<Sheet>();
  /** `laudo`, or the key of a document. */
  const [asked, setAsked] = useState<string>();
  const last = useRef<string>(undefined);
  const besideOpener = useRef<Element>(null);
  const setBeside = useCallback((next: string | undefined) => {
    if (next !== undefined) {
      last.current = next;
      const { activeElement } = document;
      if (!activeElement?.closest(".visor-sheet")) besideOpener.current = activeElement;
      else if (!activeElement.matches(".is-beside *")) besideOpener.current = null;
    }
    setAsked(next);
  }, []);
  const models = isComparing ? [own, comparison.visor.model] : [own];
  const documents = models.flatMap((model) =>
    model.state.entries.flatMap((entry) => entry.documents.map((document) => ({ document, model }))),
  );
  function find(key: string | undefined): "laudo" | ShownDocument | undefined {
    if (key === "laudo") return hasLaudo ? key : undefined;
    return documents.find(
      ({ document }) => document.key === key || document.series.seriesInstanceUID === key,
    );
  }
  /** Open beside the film. */
  const beside = find(asked);
  const below = beside && isPhone ? asked : isComparing ? "comparison" : undefined;
  useInnerStep(sheet ?? below, (wanted) => {
    const wantedSheet = SHEETS.find((name) => name === wanted);
    if (wanted === "comparison") void comparison.open();
    else if (wanted !== wantedSheet) setBeside(wanted);
    else if (wantedSheet || sheet) setSheet(wantedSheet);
    else if (beside && isPhone) setBeside(undefined);
    else comparison.close();
  });
  return {
    /** What had the focus when the first of some sheets opened. */
    opener: useOpener(sheet !== undefined),
    sheet,
    beside,
    /** What had the focus when that was opened, or took the place of another. */
    besideOpener,
    setBeside,
    /** Closes what is open; else opens the laudo, or of a study that has none what was open last, or its first document. */
    toggleBeside() {
      const first = hasLaudo ? "laudo" : find(last.current) ? last.current : documents[0]?.document.key;
      setBeside(beside ? undefined : first);
    },
    showMenu: useCallback(() => setSheet("menu"), []),
    showInformation: () => setSheet("information"),
    showKeys: useCallback(() => setSheet("keys"), []),
    closeSheet: () => setSheet(undefined),
    closeAll: useCallback(() => {
      setSheet(undefined);
      setBeside(undefined);
    }, [setBeside]),
  };
}

/** The key of the document that is open, if one is. */
export function documentKeyOf(beside: Opened["beside"]): string | undefined {
  return typeof beside === "object" ? beside.document.key : undefined;
}
