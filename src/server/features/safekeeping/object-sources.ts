import type { ObjectStore } from "../../storage/object-store.ts";

/** The places of objects' bytes, for a command outside the server. */
export interface ObjectSources {
  store: ObjectStore;
  /** The file of an object, if the archive store is a folder. */
  storedPath: ((key: string) => string) | undefined;
  /** The node of this DATA_DIR; `undefined` if none has run. */
  nodeId: string | undefined;
  /** The file of an object in the staging area of that node. */
  stagedPath(key: string): string;
}
