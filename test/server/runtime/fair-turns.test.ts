import { describe, expect, test } from "bun:test";
import { FairTurns, type TurnLimits } from "../../../src/server/runtime/fair-turns.ts";

/** Takes turns by name, and tells in which order they began. */
function setUp(limits: TurnLimits) {
  const turns = new FairTurns(limits);
  const begun: string[] = [];
  const held = new Map<string, Disposable>();
  const take = (
    name: string,
    accountId: string,
    { kind, signal }: { kind?: string; signal?: AbortSignal } = {},
  ) =>
    turns.take(accountId, signal, kind).then((turn) => {
      begun.push(name);
      held.set(name, turn);
    });
  const end = async (name: string) => {
    held.get(name)?.[Symbol.dispose]();
    await Bun.sleep(0);
  };
  return { begun, take, end };
}

describe("fair turns", () => {
  test("are given to whoever was served longest ago, however many somebody waits for", async () => {
    const { begun, take, end } = setUp({ turns: 1, turnsPerAccount: 1 });
    await take("a1", "a");
    for (const name of ["a2", "a3", "a4"]) void take(name, "a");
    for (const name of ["b1", "b2"]) void take(name, "b");
    void take("c1", "c");
    for (let turn = 0; turn < 6; turn++) await end(begun.at(-1) ?? "");
    expect(begun).toEqual(["a1", "b1", "c1", "a2", "b2", "a3", "a4"]);
  });

  test("are shared by the accounts of a kind", async () => {
    const { begun, take, end } = setUp({ turns: 1, turnsPerAccount: 1 });
    const trial = { kind: "trial" };
    await take("t1", "t", trial);
    for (const name of ["t2", "t3"]) void take(name, "t", trial);
    for (const name of ["u1", "v1"]) void take(name, name, trial);
    for (const name of ["p1", "p2", "p3"]) void take(name, "p");
    for (let turn = 0; turn < 7; turn++) await end(begun.at(-1) ?? "");
    expect(begun).toEqual(["t1", "p1", "u1", "p2", "v1", "p3", "t2", "t3"]);
  });

  test("are given in order to those of whom it is forgotten when they had one, and to those who had none", async () => {
    const { begun, take, end } = setUp({ turns: 1, turnsPerAccount: 1 });
    await take("a1", "a");
    await end("a1");
    for (let n = 0; n < 600; n++) {
      await take(`o${n}`, `o${n}`);
      if (n < 599) await end(`o${n}`);
    }
    void take("a2", "a");
    void take("b1", "b");
    await end("o599");
    expect(begun.at(-1)).toBe("a2");
  });

  test("pass over an account at its own limit, and who waits no more", async () => {
    const { begun, take, end } = setUp({ turns: 2, turnsPerAccount: 1 });
    await take("a1", "a");
    void take("a2", "a");
    await take("b1", "b");
    const leaving = new AbortController();
    const left = take("c1", "c", { signal: leaving.signal });
    void take("d1", "d");
    leaving.abort(new Error("left"));
    await expect(left).rejects.toThrow("left");
    await end("b1");
    await end("a1");
    expect(begun).toEqual(["a1", "b1", "d1", "a2"]);
  });
});
