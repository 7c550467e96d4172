import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import type { Study } from "../../../shared/api/studies.ts";
import { savesData, whenIdle } from "../../ui/when-idle.ts";
import { isViewable } from "../studies/study-text.ts";
import { pictureQuery } from "../studies/use-picture.ts";
import { loadVisor } from "../viewer/lazy-visor.tsx";
import { useFirstViewer } from "../viewer/viewer-choice.tsx";

/** As many as a phone's screen lists. */
const MAX_PREVIEWS = 8;

/** Once the list is idle, loads what our own viewer shows first; never where the person saves data. */
export function useWarmViewer(studies: readonly Study[]): void {
  const client = useQueryClient();
  const isWarmed = useFirstViewer() === "visor" && !savesData();
  useEffect(() => {
    if (!isWarmed || studies.length === 0) return;
    return whenIdle(() => {
      void loadVisor()
        .then(({ warmVisor }) => warmVisor())
        .catch(() => undefined);
      for (const study of studies.filter(isViewable).slice(0, MAX_PREVIEWS))
        void client.prefetchQuery(
          pictureQuery({ study, imagesReceived: study.imagesReceived, isLarge: true }),
        );
    });
  }, [isWarmed, studies, client]);
}
