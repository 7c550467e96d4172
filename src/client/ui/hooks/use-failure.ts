import { useState } from "react";

export interface FailedQuery {
  data: unknown;
  error: Error | null;
  /** How often these data could not be read: 0 for another page or search that was not yet read. */
  errorUpdateCount: number;
  /** Whether the data are those of the page or search before. */
  isPlaceholderData: boolean;
}

/** Why data could not be read. It stays while they are being read again by themselves, so that nothing moves until they are there. */
export function useFailure({
  data,
  error,
  errorUpdateCount,
  isPlaceholderData,
}: FailedQuery): Error | undefined {
  const [failure, setFailure] = useState<Error>();
  if (error && error !== failure) setFailure(error);
  if (error) return error;
  const isThere = data !== undefined && !isPlaceholderData;
  return isThere || errorUpdateCount === 0 ? undefined : failure;
}
