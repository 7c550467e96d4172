import type { Role } from "../api/users.ts";

/** Whether an account may keep the exams of a link as its own: only if it may then do no more with them than the link allows. */
export function mayKeepVisit(link: { laudo: boolean; download: boolean }, role: Role): boolean {
  const downloadsNothing = role === "doctor" || role === "lab";
  return link.laudo && (link.download || downloadsNothing);
}
