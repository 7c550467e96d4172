const systems: [RegExp, string][] = [
  [/iPhone/, "iPhone"],
  [/iPad/, "iPad"],
  [/Android/, "Android"],
  [/CrOS/, "Chromebook"],
  [/Macintosh/, "Mac"],
  [/Windows/, "Windows"],
  [/Linux/, "Linux"],
];
/** Most browsers name others too, so the order matters. */
const browsers: [RegExp, string][] = [
  [/\bEdg/, "Edge"],
  [/\bOPR\//, "Opera"],
  [/SamsungBrowser/, "Samsung Internet"],
  [/Firefox|FxiOS/, "Firefox"],
  [/Chrome|CriOS/, "Chrome"],
  [/Safari/, "Safari"],
];

/** What a person would call the device of this User-Agent; empty where nothing tells. */
export function deviceName(userAgent: string): string {
  return nameIn(systems, userAgent);
}

/** The device and its browser: "iPhone, Safari". Empty where nothing tells. */
export function deviceAndBrowser(userAgent: string): string {
  return [nameIn(systems, userAgent), nameIn(browsers, userAgent)].filter(Boolean).join(", ");
}

function nameIn(names: [RegExp, string][], userAgent: string): string {
  return names.find(([pattern]) => pattern.test(userAgent))?.[1] ?? "";
}
