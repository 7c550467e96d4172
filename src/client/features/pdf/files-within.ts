import { gunzipSync } from "fflate";

/** The name under which the worker is among them. */
const WORKER = "worker";

/**
 * What PDF.js reads besides its code, in a page that has it within itself because it may load nothing beside it.
 * @param packed an object as JSON: each file by its name, compressed by gzip, as Base64
 */
export function filesWithin(packed: string) {
  const files = JSON.parse(packed) as Record<string, string>;
  const listeners = new Set<() => void>();
  /** The address of the worker, once one was started. */
  let script: string | undefined;

  function unpack(name: string): Uint8Array<ArrayBuffer> {
    const file = files[name];
    if (file === undefined) {
      for (const listener of listeners) listener();
      throw new RangeError(`${name} is not in this page`);
    }
    return new Uint8Array(gunzipSync(Uint8Array.from(atob(file), (character) => character.charCodeAt(0))));
  }

  return {
    /**
     * Told when a PDF needs what is left out: the character maps of East Asian fonts that it does not carry, which have more bytes
     * than all else. PDF.js would draw it without its text. Returns what ends the telling.
     */
    onMissing(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** A classic worker: browsers start no module from a page of a disc. */
    startWorker(): Worker {
      script ??= URL.createObjectURL(new Blob([unpack(WORKER)], { type: "text/javascript" }));
      return new Worker(script);
    },
    /** As PDF.js wants it. */
    BinaryDataFactory: class {
      async fetch({ filename }: { filename: string }): Promise<Uint8Array> {
        return unpack(filename);
      }
    },
  };
}
