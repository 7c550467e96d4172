import type { ObjectStore } from "../../storage/object-store.ts";

/** Where the bytes of objects lie, as a command sees them. */
export interface ObjectSources {
  store: ObjectStore;
  /** The file of an object, where the archive store is a folder. */
  storedPath: ((key: string) => string) | undefined;
  /** The node of this DATA_DIR; `undefined` where none has run. */
  nodeId: string | undefined;
  /** The file of an object in the staging area of that node. */
  stagedPath(key: string): string;
}
