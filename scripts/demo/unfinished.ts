/**
 * What the terminal says when filling the demo ended early. Undefined if there is nothing to show: the first filling failed by itself.
 *
 * @param how whether this was the first filling of the folder, and whether the demo was told to stop meanwhile
 */
export function unfinishedText(
  error: unknown,
  { isFirst, isStopped }: { isFirst: boolean; isStopped: boolean },
): string | undefined {
  if (isStopped) return "Stopped before the demo's data were complete; the next start completes them.";
  if (isFirst) return undefined;
  // Whoever tries the demo may block an account, give it a second factor, or end a plan.
  const reason = error instanceof Error ? error.message : String(error);
  return `The data stay as they were left, since they can't be completed: ${reason}`;
}
