import { useState } from "react";

interface FailedQuery {
  data: unknown;
  error: Error | null;
}

/** Why data could not be read. It stays while they are being read again by themselves, so that nothing moves until they are there. */
export function useFailure({ data, error }: FailedQuery): Error | undefined {
  const [failure, setFailure] = useState<Error>();
  if (error && error !== failure) setFailure(error);
  return error ?? (data === undefined ? failure : undefined);
}
