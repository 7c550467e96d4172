import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import type { Study } from "../../../shared/api/studies.ts";
import { isViewable } from "../studies/study-text.ts";
import { pictureQuery } from "../studies/use-picture.ts";
import { loadVisor } from "../viewer/lazy-visor.tsx";
import { useFirstViewer } from "../viewer/viewer-choice.tsx";

/** As many as a phone's screen lists. */
const MAX_PREVIEWS = 8;
const IDLE_TIMEOUT_MS = 5_000;

/** Once the list is idle, loads what our own viewer shows first; never where the person saves data. */
export function useWarmViewer(studies: readonly Study[]): void {
  const client = useQueryClient();
  const isWarmed = useFirstViewer() === "visor" && !savesData();
  useEffect(() => {
    if (!isWarmed || studies.length === 0) return;
    return whenIdle(() => {
      void loadVisor().catch(() => undefined);
      for (const study of studies.filter(isViewable).slice(0, MAX_PREVIEWS))
        void client.prefetchQuery(
          pictureQuery({ study, imagesReceived: study.imagesReceived, isLarge: true }),
        );
    });
  }, [isWarmed, studies, client]);
}

function savesData(): boolean {
  const { connection } = navigator as Navigator & { connection?: { saveData?: boolean } };
  return connection?.saveData === true;
}

/** Returns what takes the wish back. */
function whenIdle(run: () => void): () => void {
  if (typeof requestIdleCallback !== "function") {
    const timer = setTimeout(run, IDLE_TIMEOUT_MS);
    return () => clearTimeout(timer);
  }
  const wish = requestIdleCallback(run, { timeout: IDLE_TIMEOUT_MS });
  return () => cancelIdleCallback(wish);
}
