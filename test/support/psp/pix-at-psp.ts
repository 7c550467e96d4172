import { type BacenPixOptions, createBacenPix } from "../../../src/server/pix/bacen/bacen-pix.ts";
import type { CobOrder, Pix } from "../../../src/server/pix/pix.ts";
import { PixError } from "../../../src/server/pix/pix.ts";
import { type Psp, type PspOptions, startPsp } from "./psp.ts";
import { createStillPace, type StillPace } from "./still-pace.ts";

export interface PixAtPsp extends AsyncDisposable {
  psp: Psp;
  pix: Pix;
  pace: StillPace;
  /** Lets time pass, for us and for the PSP. */
  advance(milliseconds: number): void;
  /** Sets our clock, while no time passes. */
  setClock(byMilliseconds: number): void;
  /** An order of R$ 19,90 under a txid of its own. */
  order(changes?: Partial<CobOrder>): CobOrder;
}

export interface PixAtPspOptions extends Omit<PspOptions, "clock">, Omit<BacenPixOptions, "pace"> {
  /** Overrides of the configuration that the PSP gave. */
  config?: Partial<Psp["config"]>;
  /** How wrong the PSP's clock is. */
  pspAheadMs?: number;
  /** When the clock of adapter and PSP begins, which moves only by {@link PixAtPsp.advance}. */
  startsAt?: Date;
}

const STARTS_AT = new Date("2026-11-21T12:00:00Z");

/** Our adapter at a PSP of its own; it never waits, neither between two tries nor for an answer that does not come. */
export async function openPixAtPsp(options: PixAtPspOptions = {}): Promise<PixAtPsp> {
  const { config, pspAheadMs = 0, startsAt = STARTS_AT, serverCertificate, key, ...limits } = options;
  let now = startsAt.getTime();
  let setByMs = 0;
  const clock = { now: () => new Date(now + setByMs) };
  const pace = createStillPace();
  const psp = await startPsp({
    ...{ serverCertificate, key, clock: { now: () => new Date(now + pspAheadMs) } },
    onUnanswered: pace.lapse,
  });
  const given = { ...psp.config, ...config };
  const pix = await createBacenPix(given, clock, { ...limits, pace });
  return {
    ...{ psp, pix, pace },
    advance(milliseconds) {
      now += milliseconds;
      pace.pass(milliseconds);
    },
    setClock(byMilliseconds) {
      setByMs += byMilliseconds;
    },
    order: (changes) => ({
      ...{ txid: pix.newTxid(), amountCents: 1990, expiresInSeconds: 1800 },
      description: "Exameteca: Essencial",
      ...changes,
    }),
    async [Symbol.asyncDispose]() {
      pix.close();
      await psp[Symbol.asyncDispose]();
    },
  };
}

/** The error that a call ends with. @throws if it succeeds, or fails with another kind of error */
export async function pixErrorOf(call: Promise<unknown>): Promise<PixError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof PixError) return error;
    throw error;
  }
  throw new Error("the call did not fail");
}
