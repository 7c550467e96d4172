const WEIGHT_BYTES = 4 * 1024 * 1024;
const ANSWERS_PER_WEIGHT = 8;
/** Weights are held until the collector moves them to its old generation, where the remains of answers are too. */
const MAX_HELD = 8;

export interface Counterweight {
  /** Called for each answer. */
  add(): void;
}

/**
 * Makes Chromium collect in time what answers leave behind. Its collector hurries by the sizes of arrays, and hardly counts its own objects
 * around each answer and each drawing. An array that nobody writes to counts in full and takes no memory.
 */
export function createCounterweight(
  isNeeded = "userAgentData" in navigator,
  allocate = (bytes: number) => new ArrayBuffer(bytes),
): Counterweight {
  let held: ArrayBuffer[] = [];
  let answers = 0;
  return {
    add() {
      answers++;
      if (!isNeeded || answers % ANSWERS_PER_WEIGHT !== 0) return;
      held = [...held, allocate(WEIGHT_BYTES)].slice(-MAX_HELD);
    },
  };
}
