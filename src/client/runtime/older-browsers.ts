// Each entry imports this first. Safari has both since 17.4, and the iPhones that end at iOS 16 never get them.
Promise.withResolvers ??= function <Value>(this: PromiseConstructor): PromiseWithResolvers<Value> {
  let resolve!: PromiseWithResolvers<Value>["resolve"];
  let reject!: PromiseWithResolvers<Value>["reject"];
  const promise = new this<Value>((...settle) => {
    [resolve, reject] = settle;
  });
  return { promise, resolve, reject };
};

AbortSignal.any ??= (signals) => {
  const controller = new AbortController();
  for (const signal of signals) {
    if (signal.aborted) {
      controller.abort(signal.reason);
      break;
    }
    // The first to abort takes the listeners off the others.
    signal.addEventListener("abort", () => controller.abort(signal.reason), { signal: controller.signal });
  }
  return controller.signal;
};

export {};
