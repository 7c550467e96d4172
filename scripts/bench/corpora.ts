import { existsSync } from "node:fs";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { crc32, deflateRaw } from "node:zlib";
import { VolumeWriter } from "../../src/server/archive/volume-writer.ts";
import { type CorpusStudyOptions, corpusStudy } from "./corpus-study.ts";

const deflate = promisify(deflateRaw);
const DEFLATE_LEVEL = 6;
/** Deflating runs on the thread pool: this many entries at once. */
const DEFLATED_AT_ONCE = 4;

/** The ZIPs that are uploaded. Each is made at its first use. */
export interface Corpora {
  /** 1,000 CT slices of 512 × 512: 526 MB. */
  stored(): Promise<string>;
  /** The same slices deflated. */
  deflated(): Promise<string>;
  /** 200 slices, stored. */
  short(): Promise<string>;
  /** 4,000 slices: 2.1 GB. */
  large(): Promise<string>;
  /** As {@link stored}; each number is another study. */
  numbered(number: number): Promise<string>;
  /** 100 ZIPs of one small study each; each round has other studies. */
  small(round: number): Promise<string[]>;
}

const SLICES = { size: 512, rendered: 28 };
const SMALL_STUDIES = 100;
const SMALL = { size: 128, instances: 10, rendered: 10 };

/**
 * Corpora in `folder`. `given` may name a folder that has some already: `ct1000-store.zip`,
 * `ct1000-deflate.zip`, `big1-store.zip` and `split100/*.zip` (used for the first round).
 */
export function createCorpora(folder: string, given: string | undefined): Corpora {
  const made = new Map<string, Promise<string>>();
  const zip = (name: string, method: 0 | 8, study: CorpusStudyOptions): Promise<string> => {
    const ready = given && join(given, name);
    if (ready && existsSync(ready)) return Promise.resolve(ready);
    const path = made.get(name) ?? writeZip(join(folder, name), method, study);
    made.set(name, path);
    return path;
  };
  return {
    stored: () => zip("ct1000-store.zip", 0, { seed: "ct1000", instances: 1000, ...SLICES }),
    short: () => zip("ct200-store.zip", 0, { seed: "ct200", instances: 200, ...SLICES }),
    deflated: () => zip("ct1000-deflate.zip", 8, { seed: "ct1000", instances: 1000, ...SLICES }),
    large: () => zip("big1-store.zip", 0, { seed: "big", instances: 4000, ...SLICES }),
    numbered: (number) =>
      zip(`ct1000-${number}.zip`, 0, { seed: `ct1000 ${number}`, instances: 1000, ...SLICES }),
    async small(round) {
      const ready = given && join(given, "split100");
      if (ready && existsSync(ready) && round === 0) {
        return (await readdir(ready))
          .filter((name) => name.endsWith(".zip"))
          .map((name) => join(ready, name));
      }
      await mkdir(join(folder, `small-${round}`), { recursive: true });
      const paths: string[] = [];
      for (let index = 0; index < SMALL_STUDIES; index++) {
        const seed = `small ${round} ${index}`;
        paths.push(await zip(join(`small-${round}`, `${index}.zip`), 8, { seed, ...SMALL }));
      }
      return paths;
    },
  };
}

async function writeZip(path: string, method: 0 | 8, study: CorpusStudyOptions): Promise<string> {
  await using writer = new VolumeWriter(path, Bun.randomUUIDv7());
  const entries = corpusStudy(study);
  for (let group = take(entries); group.length > 0; group = take(entries)) {
    const contents = method === 0 ? group : await Promise.all(group.map(deflated));
    for (const [index, instance] of group.entries()) {
      const bytes = contents[index] ?? instance;
      const sizes = { storedBytes: bytes.length, sizeBytes: instance.length };
      await writer.add({ method, crc32: crc32(instance), ...sizes }, { bytes });
    }
  }
  await writer.finish();
  return path;
}

async function deflated(bytes: Uint8Array): Promise<Uint8Array> {
  return await deflate(bytes, { level: DEFLATE_LEVEL });
}

function take(entries: Iterator<Uint8Array<ArrayBuffer>>): Uint8Array[] {
  const group: Uint8Array[] = [];
  while (group.length < DEFLATED_AT_ONCE) {
    const next = entries.next();
    if (next.done) break;
    group.push(next.value);
  }
  return group;
}
