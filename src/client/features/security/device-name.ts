const platforms: [RegExp, string][] = [
  [/iPhone/, "iPhone"],
  [/iPad/, "iPad"],
  [/Android/, "Android"],
  [/CrOS/, "Chromebook"],
  [/Macintosh/, "Mac"],
  [/Windows/, "Windows"],
  [/Linux/, "Linux"],
];

/** A first name for a passkey made here: what its owner would call the device. Empty where nothing tells. */
export function deviceName(userAgent: string): string {
  return platforms.find(([pattern]) => pattern.test(userAgent))?.[1] ?? "";
}
