import type { Study } from "../../../../shared/api/studies.ts";
import { Film } from "../../../ui/film.tsx";
import { useSeen } from "../../../ui/hooks/use-seen.ts";
import { isViewable } from "../../studies/study-text.ts";
import { usePicture } from "../../studies/use-picture.ts";
import { useOpenViewer } from "./use-open-viewer.ts";

interface StudyFilmProps {
  study: Pick<Study, "id" | "storageStatus" | "imagesReceived">;
  large?: boolean;
}

/** The study's film: a picture of its largest series, black until the picture exists. */
export function StudyFilm({ study, large }: StudyFilmProps) {
  const [ref, isSeen] = useSeen<HTMLSpanElement>();
  const src = usePicture({ study, imagesReceived: study.imagesReceived, isSeen });
  return <Film ref={ref} src={src} large={large} />;
}

/** The film as a place to press that opens the viewer, beside the button that does so for keys and screen readers. */
export function OpeningFilm({ study, large }: { study: Study; large?: boolean }) {
  const open = useOpenViewer();
  if (!isViewable(study)) return <StudyFilm study={study} large={large} />;
  return (
    <button
      type="button"
      className="film-opener"
      tabIndex={-1}
      aria-hidden="true"
      // The focus goes to the study's button instead.
      onMouseDown={(event) => event.preventDefault()}
      onClick={() => open(study)}
    >
      <StudyFilm study={study} large={large} />
    </button>
  );
}
