import type { BuiltAssets } from "../app.ts";
import type { DepsOverrides } from "../start-deps.ts";

/** What the build brings: folders beside the source, or files inside the executable. */
export interface Program
  extends Pick<
    DepsOverrides,
    "postgresBinaries" | "ingestWorkerCommand" | "pictureWorkerCommand" | "elementWorkerCommand"
  > {
  /** Read only by `serve`. */
  assets(): BuiltAssets;
  /** Our licence and those of all that the program brings with it. */
  licenses(): Promise<string>;
}
