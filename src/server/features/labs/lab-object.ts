import type { KeptObject } from "../../holdings/objects/kept-object.ts";
import type { LabExamRow } from "./labs.repo.ts";

/** The object of a lab exam, whose bytes are in the archive store from the start. */
export function labObject({ id, key, sizeBytes, sha256 }: LabExamRow): KeptObject {
  return { id, kind: "lab", key, sizeBytes, sha256, location: "archive", stagedOn: null };
}
