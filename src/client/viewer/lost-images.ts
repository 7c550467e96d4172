/** More failures than this are not remembered: a connection that is gone loses every image of a study. */
const MAX_REMEMBERED = 1_000;
/** A viewport may come to its image only after that has failed. */
const LOOK_AGAIN_MS = [0, 250, 1_000, 3_000];

interface LostImagesOptions {
  /** Whether a viewport is at this image now. */
  isInSight: (imageId: string) => boolean;
  /** Whether the image has come after all. */
  hasCome: (imageId: string) => boolean;
  /** Says that the image in sight did not come; `status` as the answer had it, 0 where the connection broke. */
  tell: (status: number | undefined) => void;
  wait?: (run: () => void, ms: number) => unknown;
}

/** Images that did not come, told of once they are in sight and as long as they have not come after all. */
export function createLostImages({ isInSight, hasCome, tell, wait = setTimeout }: LostImagesOptions) {
  const lost = new Map<string, number | undefined>();
  const forgetCome = () => {
    for (const imageId of lost.keys()) if (hasCome(imageId)) lost.delete(imageId);
  };
  const lookForLost = () => {
    forgetCome();
    for (const [imageId, status] of lost) if (isInSight(imageId)) tell(status);
  };
  return {
    add(imageId: string, status: number | undefined): void {
      if (lost.size >= MAX_REMEMBERED && !lost.has(imageId)) return;
      lost.set(imageId, status);
      for (const ms of LOOK_AGAIN_MS) wait(lookForLost, ms);
    },
    /** Whether what is in sight is an image that did not come: what was drawn then is an empty viewport. */
    isInSight(): boolean {
      forgetCome();
      return [...lost.keys()].some(isInSight);
    },
  };
}
