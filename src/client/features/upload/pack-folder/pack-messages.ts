import type { PackableFile } from "./pack-folder.ts";

export interface PackRequest {
  /** Name of the temporary file. */
  name: string;
  files: PackableFile[];
}

export type PackReport =
  | { type: "packed"; count: number }
  | { type: "done"; zip: Blob }
  | { type: "failed"; message: string; isFull: boolean };
