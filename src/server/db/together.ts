/**
 * Work in one transaction that is sent together, none waiting for another's answer. Unlike `Promise.all` it fails only
 * when all have ended: what went on after the transaction was over would speak on a connection that is someone else's.
 */
export async function together<const Work extends readonly Promise<unknown>[]>(
  ...work: Work
): Promise<{ -readonly [Index in keyof Work]: Awaited<Work[Index]> }> {
  await Promise.allSettled(work);
  return (await Promise.all(work)) as { -readonly [Index in keyof Work]: Awaited<Work[Index]> };
}
