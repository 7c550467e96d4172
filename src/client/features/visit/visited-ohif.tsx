import { useLingui } from "@lingui/react/macro";
import { useCallback } from "react";
import type { Visit, VisitedStudy } from "../../../shared/api/links.ts";
import { activeLocale } from "../../i18n.ts";
import { descriptionText } from "../studies/study-text.ts";
import { ViewerFrame } from "../viewer/viewer-frame.tsx";
import { useVisitEnd } from "./use-visit-end.ts";
import { visitAddresses } from "./visit-api.ts";

interface VisitedOhifProps {
  study: VisitedStudy;
  visit: Visit;
  viewerOrigin: string;
  onLeave: () => void;
  /** The link was ended meanwhile. */
  onClosed: () => void;
  onRead: (visit: Visit) => void;
}

/** A study of a link in OHIF, which sees what the link's own token opens. */
export default function VisitedOhif({ study, visit, viewerOrigin, ...tell }: VisitedOhifProps) {
  const { i18n } = useLingui();
  const { token } = visit;
  useVisitEnd(token, { onEnd: tell.onClosed, onRead: tell.onRead });
  const find = useCallback(async () => {
    const query = new URLSearchParams({
      StudyInstanceUIDs: study.studyInstanceUID,
      t: token,
      lng: activeLocale(),
    });
    return { state: "loading" as const, url: `${viewerOrigin}/viewer/basic?${query}` };
  }, [study, token, viewerOrigin]);
  return (
    <ViewerFrame
      description={descriptionText(i18n, study)}
      find={find}
      picture={<img className="viewer-picture" src={visitAddresses.picture(token, study.id)} alt="" />}
      onLeave={tell.onLeave}
    />
  );
}
