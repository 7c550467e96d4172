import type { Study } from "../../../shared/api/studies.ts";
import { Film } from "../../ui/film.tsx";
import { useSeen } from "../../ui/use-seen.ts";
import { usePicture } from "../studies/use-picture.ts";

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
