/**
 * Runs statements of one transaction concurrently: none waits for another's answer. Unlike `Promise.all`, it fails only
 * after all of them have ended. A statement that outlived its transaction would run on a connection that belongs to
 * somebody else by then.
 */
export async function runConcurrently<const Work extends readonly Promise<unknown>[]>(
  ...work: Work
): Promise<{ -readonly [Index in keyof Work]: Awaited<Work[Index]> }> {
  // A statement of drizzle's runs each time that it is awaited.
  const running = work.map((one) => Promise.resolve(one));
  await Promise.allSettled(running);
  return (await Promise.all(running)) as { -readonly [Index in keyof Work]: Awaited<Work[Index]> };
}
