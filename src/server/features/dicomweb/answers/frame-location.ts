/** Where a frame is by itself, for an instance that has an address. */
export function frameLocation(instanceUrl: string | undefined, frameNumber: number): string | undefined {
  return instanceUrl === undefined ? undefined : `${instanceUrl}/frames/${frameNumber}`;
}
