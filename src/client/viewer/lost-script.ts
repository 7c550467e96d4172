import { SCRIPT_LOST, workerAddress } from "./sandboxed-worker.ts";

/** Calls back where a script or a style sheet of this page, or the script of a worker, does not come. */
export function onScriptLost(run: () => void): void {
  window.addEventListener(
    "error",
    ({ target }) => {
      // A prefetch that failed, as each does under Firefox's reading of our policy, is no loss.
      const isStyle = target instanceof HTMLLinkElement && target.rel === "stylesheet";
      if (target instanceof HTMLScriptElement || isStyle) run();
    },
    true,
  );
  window.Worker = class extends Worker {
    constructor(script: string | URL, options?: WorkerOptions) {
      super(workerAddress(script), options);
      this.addEventListener("message", ({ data }) => {
        if (data === SCRIPT_LOST) run();
      });
      // An error inside a script that came is an ErrorEvent.
      this.addEventListener("error", (event) => {
        if (!(event instanceof ErrorEvent)) run();
      });
    }
  };
}
