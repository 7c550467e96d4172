import { errnoOf } from "../storage/disk/fs-failure.ts";

/**
 * Writes the result of a command to the standard output. Resolves once all of it is written: `process.exit` would drop what a pipe has not
 * accepted yet. A reader that has seen enough, such as `head`, may close the pipe.
 */
export async function tell(text: string): Promise<void> {
  try {
    await Bun.write(Bun.stdout, `${text}\n`);
  } catch (error) {
    if (errnoOf(error) !== "EPIPE") throw error;
  }
}
