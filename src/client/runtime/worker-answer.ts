export interface WorkerAnswering<Report, Answer> {
  /** Reads a report of the worker; the returned value, if there is one, is the answer. A throw is the failure. */
  take: (report: Report) => Answer | undefined;
  /** The failure when the worker could not run. */
  failed: (message: string) => Error;
  signal: AbortSignal;
}

/**
 * Sends a request to a worker and follows its reports until one brings the answer; then the worker is ended.
 * @throws {Error} what `take` and `failed` say; the signal's reason when aborted
 * @throws {DOMException} if the request can't be handed over
 */
export async function workerAnswer<Report, Answer>(
  worker: Worker,
  request: unknown,
  { take, failed, signal }: WorkerAnswering<Report, Answer>,
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const abort = () => reject(signal.reason);
  signal.addEventListener("abort", abort);
  if (signal.aborted) abort();
  worker.onerror = ({ message }) => reject(failed(message));
  worker.onmessage = ({ data }: MessageEvent<Report>) => {
    try {
      const answer = take(data);
      if (answer !== undefined) resolve(answer);
    } catch (error) {
      reject(error);
    }
  };
  try {
    worker.postMessage(request);
    return await promise;
  } finally {
    signal.removeEventListener("abort", abort);
    worker.terminate();
  }
}
