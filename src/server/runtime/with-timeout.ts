/** Resolves to whether `promise` ended in time, and rejects when it rejects. Leaves no timer that keeps the process alive. */
export async function withTimeout(promise: Promise<unknown>, timeoutMs: number): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => late.resolve(false), timeoutMs);
  try {
    return await Promise.race([promise.then(() => true), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
