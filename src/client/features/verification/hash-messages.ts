import type { HashedFile } from "./compare-files.ts";

/** A file as it was picked, with its path. */
export interface PickedFile {
  name: string;
  file: Blob;
}

export interface HashRequest {
  /** One ZIP, or the files of a folder. */
  files: PickedFile[];
  /** Hashes whose files need no UID; without them every file's UID is read. */
  known: string[] | undefined;
}

export type HashReport =
  | { type: "hashed"; files: number; total: number }
  | { type: "done"; files: HashedFile[] }
  | { type: "failed"; reason: HashFailure };

/** `gone`: a file was changed or removed since it was picked. */
export type HashFailure = "unreadable" | "gone" | "too_many";

export class HashFailed extends Error {
  override name = "HashFailed";
  constructor(readonly reason: HashFailure) {
    super(reason);
  }
}
