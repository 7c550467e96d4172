import { resolve } from "node:path";
import { createFailureReader, type FailureReader } from "./failures.ts";
import { closingLine, type Outcome, outcomeOf } from "./outcome.ts";

const root = resolve(import.meta.dir, "../..");

/** As much of the output of `bun test` as holds its closing lines. */
const TAIL_CHARACTERS = 20_000;

/** A command that passes or fails as a whole. What it prints comes out in one piece, at its end. */
export async function check(name: string, args: string[]): Promise<Outcome> {
  const run = Bun.spawn([process.execPath, ...args], { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  const [output, errors] = await Promise.all(
    [run.stdout, run.stderr].map((stream) => new Response(stream).text()),
  );
  const isGood = (await run.exited) === 0;
  process.stdout.write(`\n== ${name}\n${output}${errors}${isGood ? "passed" : "FAILED"}: ${name}\n`);
  return { passed: isGood ? 1 : 0, failed: isGood ? 0 : 1, skipped: 0 };
}

export interface TestRun extends Outcome, Pick<FailureReader, "failures" | "errorsOf"> {}

/** A run of `bun test`, counted by its own closing lines. */
export async function runTests(
  name: string,
  args: string[],
  environment: Record<string, string>,
): Promise<TestRun> {
  process.stdout.write(`\n== ${name}\n`);
  const run = Bun.spawn([process.execPath, "test", ...args], {
    cwd: root,
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const { read, ...told } = createFailureReader();
  const [, report] = await Promise.all([
    pass(run.stdout, process.stdout),
    pass(run.stderr, process.stderr, read),
  ]);
  const outcome = outcomeOf(report, await run.exited);
  process.stdout.write(`\n== ${name}: ${closingLine(outcome)}\n`);
  return { ...outcome, ...told };
}

/** @returns the end of what was passed on */
async function pass(
  from: ReadableStream<Uint8Array>,
  to: NodeJS.WriteStream,
  read?: (text: string) => void,
): Promise<string> {
  const decoder = new TextDecoder();
  let tail = "";
  for await (const chunk of from) {
    to.write(chunk);
    const text = decoder.decode(chunk, { stream: true });
    read?.(text);
    tail = (tail + text).slice(-TAIL_CHARACTERS);
  }
  return tail;
}
