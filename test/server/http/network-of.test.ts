import { expect, test } from "bun:test";
import fc from "fast-check";
import { networkOf } from "../../../src/server/http/network-of.ts";

test("an IPv4 address is itself, also inside an IPv6 one", () => {
  for (const address of [
    "192.0.2.7",
    "::ffff:192.0.2.7",
    "::FFFF:c000:207",
    "0:0:0:0:0:ffff:c000:0207",
    "64:ff9b::c000:207",
    "2002:c000:207::1",
    "2002:c000:207:ffff::1",
  ])
    expect(networkOf(address)).toBe("192.0.2.7");
});

test("an IPv6 address is its /64, however it is written", () => {
  for (const address of [
    "2001:db8:0:1::",
    "2001:DB8::1:0:0:0:1",
    "2001:0db8:0000:0001:ffff:ffff:ffff:ffff",
    "2001:db8:0:1::192.0.2.7",
    "2001:db8:0:1::1%eth0",
  ])
    expect(networkOf(address)).toBe("2001:db8:0:1::/64");
  expect(networkOf("::1")).toBe("0:0:0:0::/64");
  expect(networkOf("2001:db8:0:2::1")).not.toBe(networkOf("2001:db8:0:1::1"));
});

test("text that is not an address is kept apart from every network", () => {
  for (const text of ["", "unknown", "1::2::3", "1:2:3:4:5:6:7:8:9", "12345::1", ":::", "g::1"])
    expect(networkOf(text)).toBe(text);
});

test("the host's half changes nothing, the network's half does", () => {
  const group = fc.integer({ min: 0, max: 0xffff });
  fc.assert(
    fc.property(fc.array(group, { minLength: 12, maxLength: 12 }), (groups) => {
      const hex = groups.map((part) => part.toString(16));
      // A leading 2a00 avoids the ranges that stand for IPv4.
      const network = ["2a00", ...hex.slice(0, 3)];
      const one = networkOf([...network, ...hex.slice(4, 8)].join(":"));
      expect(networkOf([...network, ...hex.slice(8, 12)].join(":"))).toBe(one);
      const other = ["2a01", ...hex.slice(0, 3), ...hex.slice(4, 8)].join(":");
      expect(networkOf(other)).not.toBe(one);
    }),
  );
});
