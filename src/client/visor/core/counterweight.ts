const WEIGHT_BYTES = 4 * 1024 * 1024;
const ANSWERS_PER_WEIGHT = 8;
/** A weight is held until it is among the objects that are looked through seldom, as what the answers leave is. */
const MAX_HELD = 8;

export interface Counterweight {
  /** Called for each answer. */
  add(): void;
}

/**
 * Makes Chromium collect in time what answers leave behind. It hurries by the sizes of arrays, and hardly counts its own objects around
 * each answer and each drawing. Memory that nobody writes to is counted there, and takes none.
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
