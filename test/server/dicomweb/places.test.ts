import { expect, test } from "bun:test";
import { Places } from "../../../src/server/features/dicomweb/turns/places.ts";
import { holding, streamOf } from "../../../src/server/http/stream-of.ts";

let now = 0;

function answer(places: Places, caller: string) {
  let isEnded = false;
  async function* pieces() {
    try {
      for (;;) yield new Uint8Array(1_000);
    } finally {
      isEnded = true;
    }
  }
  const reader = holding(places.take(caller), streamOf(pieces())).getReader();
  return { reader, isEnded: () => isEnded };
}

test("a client that takes its answer slowly keeps another caller out for a moment only", async () => {
  const places = new Places({ all: 2, own: 2, now: () => now });
  const [slow, fast] = [answer(places, "ana"), answer(places, "bia")];
  expect(() => places.take("caio")).toThrow();
  await slow.reader.read();
  for (let pieces = 0; pieces < 5; pieces++) await fast.reader.read();
  now += 9_000;
  expect(() => places.take("caio")).toThrow();
  now += 2_000;
  // Whoever has a place takes none away.
  expect(() => places.take("bia")).toThrow();
  using _ = places.take("caio");
  await expect(slow.reader.read()).rejects.toThrow();
  expect(slow.isEnded()).toBe(true);
  expect((await fast.reader.read()).value?.length).toBe(1_000);
  await fast.reader.cancel();
  using _freed = places.take("caio");
});

test("what is not being sent yet keeps its place, and the slow one beside it gives its own", async () => {
  const places = new Places({ all: 2, own: 1, now: () => now });
  using _ = places.take("ana");
  now += 60_000;
  const slow = answer(places, "bia");
  expect(() => places.take("caio")).toThrow();
  now += 11_000;
  using _freed = places.take("caio");
  await expect(slow.reader.read()).rejects.toThrow();
});

test("a caller has no more than their own places while others are free", () => {
  const places = new Places({ all: 3, own: 2 });
  using _first = places.take("ana");
  using _second = places.take("ana");
  expect(() => places.take("ana")).toThrow();
  using _ = places.take("bia");
});

test("the answer that was taken fastest stays, whichever began first", async () => {
  const places = new Places({ all: 2, own: 1, now: () => now });
  const [fast, slow] = [answer(places, "ana"), answer(places, "bia")];
  for (let pieces = 0; pieces < 5; pieces++) await fast.reader.read();
  now += 11_000;
  using _ = places.take("caio");
  await expect(slow.reader.read()).rejects.toThrow();
  await fast.reader.cancel();
});

test("a place that is given up is given back once", async () => {
  const places = new Places({ all: 1, own: 1, now: () => now });
  const slow = answer(places, "ana");
  now += 11_000;
  using _ = places.take("bia");
  await slow.reader.cancel().catch(() => {});
  expect(() => places.take("caio")).toThrow();
});

test("visitors of one account hold half of the places at most, and take away one of theirs alone", async () => {
  const places = new Places({ all: 4, own: 1, now: () => now });
  const visitor = (link: string) => {
    const reader = holding(places.take(link, "ana"), new ReadableStream()).getReader();
    const ended = reader.read().catch(() => "broken off");
    return { reader, ended };
  };
  const bia = answer(places, "bia");
  const [one, two] = [visitor("link 1"), visitor("link 2")];
  expect(() => places.take("link 3", "ana")).toThrow();
  // The host has places all the same.
  using _ = places.take("ana");
  now += 11_000;
  using _taken = places.take("link 3", "ana");
  expect(await Promise.race([one.ended, two.ended])).toBe("broken off");
  expect((await bia.reader.read()).value?.length).toBe(1_000);
  await bia.reader.cancel();
});

test("a visitor takes no place away from the account that they visit", async () => {
  const places = new Places({ all: 2, own: 1, now: () => now });
  const owner = answer(places, "ana");
  using _ = places.take("bia");
  await owner.reader.read();
  now += 11_000;
  expect(() => places.take("link 1", "ana")).toThrow();
  expect((await owner.reader.read()).value?.length).toBe(1_000);
  await owner.reader.cancel();
});
