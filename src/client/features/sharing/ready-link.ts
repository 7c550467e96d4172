import type { CreatedLink } from "../../../shared/api/links.ts";

/** A link that was just made, with what its maker chose. */
export interface ReadyLink extends CreatedLink {
  recipient: string | null;
  studies: number;
  withReport: boolean;
}
