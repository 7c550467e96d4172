import type { BuiltAssets } from "../app.ts";
import type { DepsOverrides } from "../start-deps.ts";

/** What the build provides: folders beside the source, or files inside the executable. */
export interface Program
  extends Pick<
    DepsOverrides,
    | "postgresBinaries"
    | "ingestWorkerCommand"
    | "pictureWorkerCommand"
    | "encodeWorkerCommand"
    | "elementWorkerCommand"
    | "dimseWorkerCommand"
    | "judgeWorkerCommand"
    | "minSummedBytes"
  > {
  /** Read only by `serve`. */
  assets(): BuiltAssets;
  /** The licence of this program and those of everything it bundles. */
  licenses(): Promise<string>;
}
