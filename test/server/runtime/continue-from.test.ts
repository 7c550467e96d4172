import { expect, test } from "bun:test";
import { continueFrom } from "../../../src/server/runtime/continue-from.ts";

function counted(count: number) {
  const state = { hasEnded: false };
  async function* numbers() {
    try {
      for (let number = 1; number <= count; number++) yield number;
    } finally {
      state.hasEnded = true;
    }
  }
  return { state, numbers: numbers() };
}

test("an iteration goes on behind the step that was taken ahead", async () => {
  for (const count of [0, 1, 3]) {
    const { numbers } = counted(count);
    expect(await Array.fromAsync(continueFrom(await numbers.next(), numbers))).toHaveLength(count);
  }
});

test("whoever leaves at the first item ends the whole iteration", async () => {
  const { numbers, state } = counted(3);
  for await (const number of continueFrom(await numbers.next(), numbers)) if (number === 1) break;
  expect(state.hasEnded).toBe(true);
});

test("whoever leaves before the first item ends the whole iteration too", async () => {
  const { numbers, state } = counted(3);
  await continueFrom(await numbers.next(), numbers).return();
  expect(state.hasEnded).toBe(true);
});
