import { downloadHashes, listStudies, type SentUpload } from "./sent-uploads.ts";

/** What the sender knows of one study of one upload. */
interface Part {
  studyInstanceUID: string;
  /** SHA-256 of each instance. */
  instances: Set<string>;
  isAcknowledged: boolean;
}

type Fate = "kept" | "deletion asked for" | "deleted";

/** What may be lost, and what must be gone, as the sender's notes say. */
export class Ledger {
  parts: Part[] = [];
  fates = new Map<string, Fate>();

  /** The notes for a new upload; call `acknowledge` when the server has answered. */
  note({ instances }: SentUpload): { acknowledge(): void } {
    const parts = new Map<string, Part>();
    for (const line of instances) {
      const [studyInstanceUID = "", hash = ""] = line.split(" ");
      const part = parts.get(studyInstanceUID) ?? {
        studyInstanceUID,
        instances: new Set(),
        isAcknowledged: false,
      };
      parts.set(studyInstanceUID, part);
      part.instances.add(hash);
    }
    this.parts.push(...parts.values());
    return {
      acknowledge() {
        for (const part of parts.values()) part.isAcknowledged = true;
      },
    };
  }

  /** A copy to which nothing is noted any more. */
  copy(): Ledger {
    const copy = new Ledger();
    copy.parts = this.parts.map((part) => ({ ...part }));
    copy.fates = new Map(this.fates);
    return copy;
  }

  /** What must hold after a restore of a backup that began when the notes were `then`: whatever came later may be there or not. */
  asRestored(then: Ledger): void {
    const known = new Set(
      then.parts.filter(({ isAcknowledged }) => isAcknowledged).map(({ instances }) => instances),
    );
    for (const part of this.parts) part.isAcknowledged &&= known.has(part.instances);
    for (const [uid, fate] of this.fates)
      if (fate !== "kept" && then.fates.get(uid) !== "deleted") this.fates.set(uid, "deletion asked for");
  }

  /** Sentences about what a server shows and should not, or does not show and should; empty if all is well. */
  async compare(server: { url: string }, token: string): Promise<string[]> {
    const found: string[] = [];
    const stored = new Map<string, Set<string>>();
    for (const study of await listStudies(server, token)) {
      const hashes = await downloadHashes(server, token, study.id);
      stored.set(study.studyInstanceUID, new Set(hashes));
      if (hashes.length !== study.imagesReceived || new Set(hashes).size !== hashes.length)
        found.push(`${study.studyInstanceUID} counts ${study.imagesReceived} and has ${hashes.length}`);
    }
    const explained = new Map<string, Set<string>>();
    for (const part of this.parts) {
      const { studyInstanceUID: uid, instances } = part;
      const there = stored.get(uid) ?? new Set();
      const isWhole = instances.isSubsetOf(there);
      if (isWhole) explained.set(uid, (explained.get(uid) ?? new Set()).union(instances));
      if (part.isAcknowledged && this.fateOf(uid) === "kept" && !isWhole) found.push(`${uid} is lost`);
      // What is shown once has been committed.
      part.isAcknowledged ||= isWhole;
    }
    for (const [uid, hashes] of stored)
      if (!hashes.isSubsetOf(explained.get(uid) ?? new Set())) found.push(`${uid} has half an upload`);
    for (const [uid, fate] of this.fates) {
      if (fate === "deleted" && stored.has(uid)) found.push(`${uid} is back`);
      // A killed server answers a deletion either way, and stays with it.
      if (fate === "deletion asked for") this.fates.set(uid, stored.has(uid) ? "kept" : "deleted");
    }
    return found;
  }

  /** Studies that can be deleted, the oldest first. */
  deletable(): string[] {
    const acknowledged = this.parts.filter(({ isAcknowledged }) => isAcknowledged);
    const uids = new Set(acknowledged.map(({ studyInstanceUID }) => studyInstanceUID));
    return [...uids].filter((uid) => this.fateOf(uid) === "kept");
  }

  private fateOf(uid: string): Fate {
    return this.fates.get(uid) ?? "kept";
  }
}

export async function deleteStudy(server: { url: string }, token: string, uid: string): Promise<number> {
  const answer = await fetch(`${server.url}/api/studies/${uid}`, {
    method: "DELETE",
    headers: { authorization: `Bearer ${token}` },
  });
  await answer.arrayBuffer();
  return answer.status;
}
