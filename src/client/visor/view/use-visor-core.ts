import { useEffect, useMemo, useRef } from "react";
import type { StackSource } from "../core/source.ts";
import { keepVisorCore, takeVisorCore, type VisorCore } from "./visor-core.ts";

interface VisorCoreOptions {
  source: StackSource;
  /** Of the study that is shown. */
  studyInstanceUID: string | undefined;
  isBeside: boolean;
}

/** The opening of a source, from the first drawing until the component has left the page. */
export function useVisorCore({ source, studyInstanceUID, isBeside }: VisorCoreOptions): VisorCore {
  const core = useMemo(() => takeVisorCore(source, { isBeside }), [source, isBeside]);
  const closing = useRef<{ core: VisorCore; timer: ReturnType<typeof setTimeout> }>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a source and its study are opened once
  useEffect(() => {
    // React's strict mode takes the component away and puts it back at once.
    if (closing.current?.core === core) clearTimeout(closing.current.timer);
    keepVisorCore(source);
    if (studyInstanceUID !== undefined) core.open(studyInstanceUID);
    return () => {
      closing.current = { core, timer: setTimeout(() => core.close()) };
    };
  }, [core]);
  return core;
}
