import { readFileSync } from "node:fs";

type StopSignal = "SIGTERM" | "SIGINT" | "SIGHUP";

/** Calls `ask` at each signal that asks the program to stop. `nohup` has SIGHUP ignored, so that a program outlives its terminal. */
export function onStopSignal(ask: (signal: StopSignal) => void): void {
  const signals: StopSignal[] = ["SIGTERM", "SIGINT"];
  if (!isHangupIgnored()) signals.push("SIGHUP");
  for (const signal of signals) process.on(signal, () => ask(signal));
}

/** From the mask in proc(5), in which the lowest bit is SIGHUP. */
function isHangupIgnored(): boolean {
  try {
    const [, lowest = "0"] =
      /^SigIgn:\s*[0-9a-f]*([0-9a-f])$/m.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
    return (Number.parseInt(lowest, 16) & 1) === 1;
  } catch {
    return false; // other systems have none
  }
}
