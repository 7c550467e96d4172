import type { Deps } from "../../deps.ts";
import { insertUpload } from "./uploads.repo.ts";

/** Records an upload of this run before its first byte. One whose record may be there although this fails is ended by the sweep. */
export async function recordUpload(
  { db, node, clock }: Pick<Deps, "db" | "node" | "clock">,
  { id, accountId }: { id: string; accountId: string },
): Promise<void> {
  const { id: nodeId, bootId } = node;
  try {
    await insertUpload(db, { id, accountId, nodeId, bootId, state: "receiving", startedAt: clock.now() });
  } catch (error) {
    node.unendedUploads.add(id);
    throw error;
  }
}
