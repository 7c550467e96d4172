import { programFile } from "./program-file.ts";

export interface ProgramResult {
  code: number;
  /** What it wrote to standard output. */
  output: string;
  /** What it wrote to standard error. */
  complaint: string;
}

export type RunningProgram = ReturnType<typeof startProgram>;

/** Starts a command of the program, with no other environment than this. */
export function startProgram(env: Record<string, string>, ...args: string[]) {
  return Bun.spawn([process.execPath, programFile(), ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
}

export async function resultOf(program: RunningProgram): Promise<ProgramResult> {
  const [output, complaint, code] = await Promise.all([
    new Response(program.stdout).text(),
    new Response(program.stderr).text(),
    program.exited,
  ]);
  return { code, output, complaint };
}

/** Runs a command to its end; see {@link startProgram}. */
export function runProgram(env: Record<string, string>, ...args: string[]): Promise<ProgramResult> {
  return resultOf(startProgram(env, ...args));
}
