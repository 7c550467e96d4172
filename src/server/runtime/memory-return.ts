const LOOK_EVERY_MS = 3_000;
/** A process that takes less of a core rests: timers and polls of the idle server take about a hundredth. */
const RESTING_SHARE = 0.05;
/** Compiled code is given back too, so a pause between two requests must not cost it. */
const REST_BEFORE_MS = 60_000;
/** Work of this much CPU time leaves enough garbage to be worth the pause of some 30 ms. */
const WORTH_CPU_MS = 5_000;

interface Process {
  /** CPU since its start. */
  cpuMs(): number;
  /** Collects garbage, drops compiled code and returns what is free to the system. */
  shrink(): void;
}

const thisProcess: Process = {
  cpuMs() {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  },
  shrink() {
    Bun.gc(true);
    Bun.shrink();
  },
};

/**
 * Gives unused memory back to the system: what the start left, as soon as it is over, and what work left, after a minute of rest. The
 * engine by itself would keep both.
 */
export class MemoryReturn implements Disposable {
  readonly #process: Process;
  readonly #timer: NodeJS.Timeout;
  #cpuMs: number;
  #restedMs = 0;
  /** The CPU time at the last return; undefined until the one after the start. */
  #returnedAtCpuMs: number | undefined;

  constructor(process = thisProcess) {
    this.#process = process;
    this.#cpuMs = process.cpuMs();
    this.#timer = setInterval(() => this.look(), LOOK_EVERY_MS).unref();
  }

  /** Is called every 3 s. */
  look(): void {
    const cpuMs = this.#process.cpuMs();
    const isResting = cpuMs - this.#cpuMs < RESTING_SHARE * LOOK_EVERY_MS;
    this.#cpuMs = cpuMs;
    this.#restedMs = isResting ? this.#restedMs + LOOK_EVERY_MS : 0;
    if (!isResting || !this.#isDue()) return;
    this.#process.shrink();
    this.#returnedAtCpuMs = this.#cpuMs = this.#process.cpuMs();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  #isDue(): boolean {
    if (this.#returnedAtCpuMs === undefined) return true;
    return this.#restedMs >= REST_BEFORE_MS && this.#cpuMs - this.#returnedAtCpuMs >= WORTH_CPU_MS;
  }
}
