import { useQueryClient } from "@tanstack/react-query";
import { useAtomValue } from "jotai";
import { useEffect, useRef } from "react";
import type { Study } from "../../../../shared/api/studies.ts";
import { savesData, whenIdle } from "../../../ui/when-idle.ts";
import { useHis } from "../../session/his-context.ts";
import { isViewable } from "../../studies/study-text.ts";
import { pictureQuery } from "../../studies/use-picture.ts";
import { loadVisor } from "../../viewer/lazy-visor.tsx";
import { useFirstViewer } from "../../viewer/viewer-choice.tsx";
import { warmViewerScripts } from "../../viewer/viewer-scripts.ts";
import { viewedStudyAtom } from "../actions/list-actions.ts";

/** As many as a phone's screen lists. */
const MAX_PREVIEWS = 8;
/** OHIF weighs a hundred times as much as a page: it waits until the person stays with the list. */
const STAY_MS = 3_000;

/** Once the list is idle, loads what the viewer needs first; never where the person saves data. */
export function useWarmViewer(studies: readonly Study[]): void {
  const client = useQueryClient();
  const first = useFirstViewer();
  const { viewerOrigin } = useHis();
  const isWarmed = first === "visor" && !savesData();
  const isListSeen = useAtomValue(viewedStudyAtom) === undefined;
  // A viewer on an origin of its own has a cache of its own, which only its own page fills.
  const isOhifHere = first === "ohif" && viewerOrigin === undefined;
  useWarmOhif(isOhifHere && isListSeen && studies.some(isViewable));
  useEffect(() => {
    if (!isWarmed || !isListSeen || studies.length === 0) return;
    return whenIdle(() => {
      void loadVisor()
        .then(({ warmVisor }) => warmVisor())
        .catch(() => undefined);
      for (const study of studies.filter(isViewable).slice(0, MAX_PREVIEWS))
        void client.prefetchQuery(
          pictureQuery({ study, imagesReceived: study.imagesReceived, isLarge: true }),
        );
    });
  }, [isWarmed, isListSeen, studies, client]);
}

/** Once while the list is there; what the viewer opened meanwhile is in the browser's cache as well. */
function useWarmOhif(isWanted: boolean): void {
  const isWarm = useRef(false);
  useEffect(() => {
    if (!isWanted || isWarm.current || savesData()) return;
    const left = new AbortController();
    let takeBack: (() => void) | undefined;
    const timer = setTimeout(() => {
      takeBack = whenIdle(() => {
        isWarm.current = true;
        void warmViewerScripts(left.signal);
      });
    }, STAY_MS);
    return () => {
      clearTimeout(timer);
      takeBack?.();
      left.abort();
    };
  }, [isWanted]);
}
