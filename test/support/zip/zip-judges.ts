import { spawnSync } from "node:child_process";

/** Programs that read ZIPs too. */
export const JUDGES = ["unzip", "7z", "bsdtar", "python3"] as const;
export type Judge = (typeof JUDGES)[number];

/** Another program's judgement of a ZIP. */
export interface Judgement {
  /** It warns of nothing. */
  isClean: boolean;
  /** It warns at most. */
  isAccepted: boolean;
  /** All contents that it gives, one after the other. */
  output: Uint8Array;
}

const TIMEOUT_MS = 60_000;
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

const commands: Record<Exclude<Judge, "python3">, (path: string) => string[]> = {
  unzip: (path) => ["unzip", "-p", "-P", "x", path],
  "7z": (path) => ["7z", "x", "-tzip", "-so", "-px", path],
  bsdtar: (path) => ["bsdtar", "--passphrase", "x", "-xOf", path],
};
const WARNING_STATUS: Partial<Record<Judge, number>> = { unzip: 1, "7z": 1 };

/** One process for all files, because it starts slowly: says whether each is sound and how long its contents are. */
const PYTHON = `
import io, sys, zipfile
for path in sys.argv[1:]:
    output, isClean = io.BytesIO(), 1
    try:
        with zipfile.ZipFile(path) as archive:
            for entry in archive.infolist():
                if not entry.is_dir():
                    output.write(archive.read(entry))
    except Exception:
        isClean = 0
    sys.stdout.buffer.write(b"%d %d\\n" % (isClean, output.tell()) + output.getvalue())
`;

export function judgeZips(judge: Judge, paths: readonly string[]): Judgement[] {
  if (judge === "python3") return judgeByPython(paths);
  return paths.map((path) => {
    const { status, stdout } = run(commands[judge](path));
    const isClean = status === 0;
    return { isClean, isAccepted: isClean || status === WARNING_STATUS[judge], output: stdout };
  });
}

function judgeByPython(paths: readonly string[]): Judgement[] {
  const { stdout } = run(["python3", "-c", PYTHON, ...paths]);
  let at = 0;
  return paths.map(() => {
    const lineEnd = stdout.indexOf("\n", at);
    const [status = 0, length = 0] = stdout.toString("latin1", at, lineEnd).split(" ").map(Number);
    at = lineEnd + 1 + length;
    return { isClean: status === 1, isAccepted: status === 1, output: stdout.subarray(lineEnd + 1, at) };
  });
}

function run([program = "", ...args]: readonly string[]) {
  return spawnSync(program, args, { timeout: TIMEOUT_MS, maxBuffer: MAX_OUTPUT_BYTES });
}

/** Judgements that may differ from ours, and why ours is kept. */
const OTHERWISE: { judges: readonly Judge[]; why: string; titles: readonly string[] }[] = [
  {
    judges: ["unzip", "bsdtar", "python3"],
    why: "takes the last signature of an end record, wherever its comment ends",
    titles: [
      "the signature of an end record in the comment",
      "an end record in the comment that does not reach the end",
    ],
  },
  {
    judges: ["unzip", "7z"],
    why: "reads as many entries as are counted",
    titles: ["more entries than the end record counts"],
  },
  {
    judges: ["bsdtar", "python3"],
    why: "never looks at the count, so a directory that was cut goes unseen",
    titles: ["fewer entries than the end record counts", "more entries counted than fit into the directory"],
  },
  {
    judges: ["unzip", "bsdtar", "python3"],
    why: "ignores the numbers of disks",
    titles: ["the last of several disks", "the last of several disks, in ZIP64", "an entry on another disk"],
  },
  {
    judges: ["7z", "bsdtar", "python3"],
    why: "knows no digital signature",
    titles: ["a digital signature behind the headers"],
  },
  { judges: ["unzip", "7z"], why: "inflates deflate64 too", titles: ["deflate64"] },
  {
    judges: ["unzip", "python3"],
    why: "believes one of the two headers, or checks neither sizes nor checksum",
    titles: [
      "an entry whose local header alone says that it is encrypted",
      "a wrong checksum",
      "an entry said to be smaller than it is",
      "an entry said to be larger than it is",
      "an entry said to be far larger than it can be",
      "less deflated than there is",
      "a stored entry of two sizes",
      "another method in the local header",
      "data that reach into the next entry",
      "an entry that reaches into the directory",
      "a ZIP64 size without its field",
    ],
  },
  {
    judges: ["bsdtar"],
    why: "reads entry after entry from the front where it finds no directory",
    titles: [
      "cut at the end",
      "nothing",
      "two entries that are the same bytes",
      "a directory beyond the end",
      "a directory larger than the file",
      "a ZIP64 directory beyond 2^53",
    ],
  },
  {
    judges: ["bsdtar"],
    why: "finds no ZIP64 record behind a prefix",
    titles: ["ZIP64 with something in front of it and a comment"],
  },
  {
    judges: ["7z"],
    why: "calls something in front an error where it is asked for a status",
    titles: ["something in front of it", "ZIP64 with something in front of it and a comment"],
  },
];

export function mayDiffer(judge: Judge, title: string): boolean {
  return OTHERWISE.some(({ judges, titles }) => judges.includes(judge) && titles.includes(title));
}
