import { useEffect } from "react";

/** Keeps the device awake while `isWanted`, as far as the browser allows it; it gives the lock up while the page is hidden. */
export function useWakeLock(isWanted: boolean): void {
  useEffect(() => {
    if (!isWanted || !("wakeLock" in navigator)) return;
    let lock: WakeLockSentinel | undefined;
    let isEnded = false;
    const take = async () => {
      if (document.visibilityState !== "visible") return;
      // Refused on a low battery: the upload goes on all the same.
      const taken = await navigator.wakeLock.request("screen").catch(() => undefined);
      if (isEnded) await taken?.release();
      else lock = taken;
    };
    const onVisible = () => void take();
    void take();
    document.addEventListener("visibilitychange", onVisible);
    return () => {
      isEnded = true;
      document.removeEventListener("visibilitychange", onVisible);
      void lock?.release();
    };
  }, [isWanted]);
}
