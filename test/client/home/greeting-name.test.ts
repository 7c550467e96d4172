import { expect, test } from "bun:test";
import { greetingName } from "../../../src/client/features/home/greeting-name.ts";

test.each([
  ["Helena Duarte", "Helena"],
  ["Dra. Ana Lima", "Dra. Ana"],
  ["dr João", "dr João"],
  ["Prof. Dr. André Passos", "Prof. Dr. André"],
  ["Drausio Reis", "Drausio"],
  [" Dra. ", "Dra."],
])("%p is greeted as %p", (name, greeted) => expect(greetingName(name)).toBe(greeted));
