/** Maximum number of remembered failures, because a lost connection fails every image of a study. */
const MAX_REMEMBERED = 1_000;
/** A viewport may reach an image after the image has failed. */
const CHECK_AFTER_MS = [0, 250, 1_000, 3_000];

interface LostImagesOptions {
  /** Whether a viewport is at this image now. */
  isInSight: (imageId: string) => boolean;
  /** Whether the image has loaded after all. */
  hasCome: (imageId: string) => boolean;
  /** Reports that the visible image failed to load; `status` is the HTTP status, or 0 if the connection broke. */
  tell: (status: number | undefined) => void;
  wait?: (run: () => void, ms: number) => unknown;
}

/** Images that failed to load. Each is reported once it is visible, unless it has loaded meanwhile. */
export function createLostImages({ isInSight, hasCome, tell, wait = setTimeout }: LostImagesOptions) {
  const lost = new Map<string, number | undefined>();
  const forgetLoaded = () => {
    for (const imageId of lost.keys()) if (hasCome(imageId)) lost.delete(imageId);
  };
  const reportVisibleLosses = () => {
    forgetLoaded();
    for (const [imageId, status] of lost) if (isInSight(imageId)) tell(status);
  };
  return {
    add(imageId: string, status: number | undefined): void {
      if (lost.size >= MAX_REMEMBERED && !lost.has(imageId)) return;
      lost.set(imageId, status);
      for (const ms of CHECK_AFTER_MS) wait(reportVisibleLosses, ms);
    },
    /** Whether the visible image failed to load; the viewport that was drawn is then empty. */
    isInSight(): boolean {
      forgetLoaded();
      return [...lost.keys()].some(isInSight);
    },
  };
}
